/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edges.c - edges in any order, collected with every sum checked where it is
 * made, so that a message can name the line */
#include "config.h"

#include "graph/file/edges.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* A file without rows may claim any number of tasks, and each costs memory.
 * TASKS_FREE are always believed, and TASKS_PER_EDGE more for each edge: far
 * more than isolated tasks of a real program. */
enum {
    TASKS_MOST = 1 << 24, /* as plan's --ntasks, for any file */
    TASKS_FREE = 1 << 16,
    TASKS_PER_EDGE = 1 << 10,
};

bool edges_take_bytes(uint64_t *out, char *word)
{
    char *cursor = word;
    double value;

    if (text_take_u64(&cursor, out, NULL) && text_at_end(cursor))
        return true;
    if (!text_parse_double(word, &value) || !(value >= 0 && value < 0x1p63))
        return false;
    *out = value > 0 && value < 1 ? 1 : (uint64_t)(value + 0.5);
    return true;
}

void edges_clean_line(char *line)
{
    line[strcspn(line, "#%")] = '\0';
    for (; *line != '\0'; line++)
        if (*line == ',' || *line == ';')
            *line = ' ';
}

void edges_clear(struct edges *edges)
{
    free(edges->edge);
    *edges = (struct edges){0};
}

int edges_add(struct edges *edges, uint32_t a, uint32_t b, uint64_t bytes)
{
    struct mapcore_edge edge = {a < b ? a : b, a < b ? b : a, bytes};
    uint64_t total;

    if (a == b || bytes == 0)
        return 0;
    if (__builtin_add_overflow(edges->total, bytes, &total) ||
        total > INT64_MAX)
        return text_error(edges->text, MAPCORE_ERANGE,
                          "with this line the bytes of all edges exceed 2^63");
    edges->total = total;
    /* In blocks of a matrix the same two tasks often meet again and again. */
    if (edges->n > 0 && edges->edge[edges->n - 1].a == edge.a &&
        edges->edge[edges->n - 1].b == edge.b) {
        edges->edge[edges->n - 1].bytes += bytes;
        return 0;
    }
    int error = array_reserve(&edges->edge, &edges->capacity, edges->n + 1,
                              sizeof(edge), text_err(edges->text));
    if (error == 0)
        edges->edge[edges->n++] = edge;
    return error;
}

int edges_to_graph(struct mapcore_graph **out,
                   const struct edges *edges,
                   uint32_t ntasks,
                   bool is_told)
{
    if (!is_told && ntasks > TASKS_FREE &&
        (ntasks - TASKS_FREE) / TASKS_PER_EDGE > edges->n)
        return text_error_line(edges->text, 0, MAPCORE_ERANGE,
                               "%u tasks, but only %zu edge%s: that cannot be "
                               "meant",
                               ntasks, edges->n, text_plural(edges->n));
    if (ntasks > TASKS_MOST)
        return text_error_line(edges->text, 0, MAPCORE_ERANGE,
                               "%u tasks: more than 2^24", ntasks);
    return mapcore_graph_create(out, ntasks, edges->edge, edges->n,
                                text_err(edges->text));
}
