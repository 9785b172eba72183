/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* no_graph.c - knows mappings by what graphs are not: every slot of a node
 * once, every rank once */
#include "config.h"

#include "graph/file/no_graph.h"

#include "base/array.h"
#include "graph/file/slot_pairs.h"

#include <stdlib.h>
#include <string.h>

size_t no_graph_order(const char *line)
{
    size_t n = 1, i = 0;
    bool *seen;

    for (const char *c = line; (c = strchr(c, ',')); c++)
        n++;
    if (n < 2 || !(seen = array_alloc(n, sizeof(*seen), NULL)))
        return 0;
    for (; i < n; i++) {
        char *end = NULL;
        unsigned long rank;

        line += strspn(line, " \t");
        rank = strspn(line, "0123456789") > 0 ? strtoul(line, &end, 10) : n;
        if (rank >= n || seen[rank])
            break;
        seen[rank] = true;
        line = end + strspn(end, " \t\r");
        if (*line != (i + 1 < n ? ',' : '\0'))
            break;
        line++;
    }
    free(seen);
    return i == n ? n : 0;
}

int no_graph_refuse(enum no_graph what,
                    const char *name,
                    size_t line,
                    struct mapcore_error *err)
{
    static const char *const sentences[] = {
        [NO_GRAPH_ORDER] = "an order of ranks, as MPICH_RANK_ORDER has it, and "
                           "not a task graph",
        [NO_GRAPH_EDGE_ORDER] = "an order of ranks, as MPICH_RANK_ORDER has "
                                "it, and not a task graph, unless told that it "
                                "is edges",
        [NO_GRAPH_MAPPING] = "nodes and slots, each once: a mapping, and not a "
                             "task graph, unless told that it is edges",
    };

    return error_set(err, MAPCORE_EPARSE, "%s:%zu: %s", name, line,
                     sentences[what]);
}

/* Two numbers and nothing else, or only blanks or a comment. */
static bool take_slot(struct slot_pairs *pairs, char *line)
{
    struct mapcore_error ignored;
    uint32_t node, slot;

    line[strcspn(line, "#")] = '\0';
    return text_at_end(line) ||
           (text_take_u32(&line, &node, NULL) &&
            text_take_u32(&line, &slot, NULL) && text_at_end(line) &&
            slot_pairs_add(pairs, node, slot, &ignored) == 0);
}

int no_graph_explain(int error, struct text *text, struct mapcore_error *err)
{
    static const char ours[] = "# topomap ";
    struct slot_pairs pairs = {0};
    struct mapcore_error ignored;
    size_t at = 0, n = 0; /* the first line that says something; how many */
    size_t order = 0;     /* ranks of that one */
    bool is_mapping = true;
    char *line;

    while (((is_mapping && !pairs.is_no_mapping) || (order > 0 && n == 1)) &&
           text_line(text, &line, &ignored) == 0 && line) {
        /* Of which has been said who wrote it. */
        if (strncmp(line, ours, sizeof(ours) - 1) == 0)
            goto out;
        if (text_at_end(line) || *line == '#')
            continue;
        if (n++ == 0) {
            at = text_line_number(text);
            order = no_graph_order(line);
        }
        is_mapping = is_mapping && take_slot(&pairs, line);
    }
    if (order > 0 && n == 1)
        no_graph_refuse(order > 3 ? NO_GRAPH_ORDER : NO_GRAPH_EDGE_ORDER,
                        text_name(text), at, err);
    else if (is_mapping && slot_pairs_are_slots(&pairs))
        no_graph_refuse(NO_GRAPH_MAPPING, text_name(text), at, err);
out:
    slot_pairs_clear(&pairs);
    return error;
}
