/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launchers.c - mappings in the files of other launchers: Slurm's arbitrary
 * hostfile, the rank order of Cray MPICH */
#include "config.h"

#include "alloc/file/hostnames.h"

#include "base/hosts.h"

#include <stdlib.h>
#include <string.h>

/* Tasks that a file may place: the slots there are, or when nobody has said,
 * what no real job exceeds (a few bytes can say n0*4000000000). */
static uint64_t count_slots(const struct mapping_hosts *hosts)
{
    uint64_t sum = 0;

    if (hosts->n == 0 || !hosts->slots)
        return UINT64_C(1) << 24;
    for (uint32_t h = 0; h < hosts->n; h++)
        sum += hosts->slots[h];
    return sum;
}

static int check_slots(const struct mapping_lines *lines,
                       uint64_t more,
                       uint64_t nslots,
                       const struct text *text,
                       struct mapcore_error *err)
{
    if (more > nslots - lines->n)
        return text_error(text, err, MAPCORE_ERANGE,
                          "with this line there are more than %llu tasks",
                          (unsigned long long)nslots);
    return 0;
}

/* "n3", "n[0-3]", "n3*4": so many tasks on each. */
static int take_hosts(struct mapping_lines *lines,
                      struct hostnames *names,
                      uint64_t nslots,
                      char *word,
                      const struct text *text,
                      struct mapcore_error *err)
{
    char *asterisk = strchr(word, '*');
    uint64_t count = 1;
    struct hosts hosts;
    struct mapcore_error why;
    uint32_t host;
    int error;

    if (asterisk) {
        *asterisk = '\0';
        if (!text_parse_u64(asterisk + 1, &count) || count == 0)
            return text_error(text, err, MAPCORE_EPARSE,
                              "'%.40s' is no number of tasks", asterisk + 1);
    }
    error = hosts_expand(&hosts, word, &why);
    if (error < 0)
        return text_error(text, err, error, "%s", why.text);
    for (size_t h = 0; error == 0 && h < hosts.n; h++) {
        if ((error = check_slots(lines, count, nslots, text, err)) == 0)
            error = hostnames_find(&host, names, hosts.name[h], text, err);
        for (uint64_t i = 0; error == 0 && i < count; i++)
            error = mapping_lines_add(lines, host, MAPCORE_NONE, text, err);
    }
    hosts_clear(&hosts);
    return error;
}

/* The next host list of a line: commas inside brackets are its own. */
static char *next_list(char **cursor)
{
    char *word = *cursor + strspn(*cursor, " \t\r\v\f,");
    char *end = word;
    bool inside = false;

    while (*end != '\0' &&
           (!strchr(" \t\r\v\f", *end) && (*end != ',' || inside))) {
        inside = *end == '[' || (inside && *end != ']');
        end++;
    }
    if (end == word)
        return NULL;
    *cursor = end + (*end != '\0');
    *end = '\0';
    return word;
}

int mapping_read_hostfile(struct mapping_lines *out,
                          struct text *text,
                          const struct mapping_hosts *hosts,
                          struct mapcore_error *err)
{
    uint64_t nslots = count_slots(hosts);
    struct hostnames names = {0};
    char *line, *word;
    int error = hostnames_init(&names, out, hosts, text, err);

    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line) {
        line[strcspn(line, "#")] = '\0';
        while (error == 0 && (word = next_list(&line)))
            error = take_hosts(out, &names, nslots, word, text, err);
    }
    hostnames_clear(&names);
    return error;
}

/* order->host holds ranks for now: the place of each is its index. */
static int add_ranks(struct mapping_lines *order,
                     uint64_t nslots,
                     uint32_t first,
                     uint32_t last,
                     const struct text *text,
                     struct mapcore_error *err)
{
    int error =
        check_slots(order, (uint64_t)last - first + 1, nslots, text, err);

    for (uint64_t r = first; error == 0 && r <= last; r++)
        error = mapping_lines_add(order, (uint32_t)r, 0, text, err);
    return error;
}

/* "0,4-7, 1" */
static int take_order(struct mapping_lines *order,
                      uint64_t nslots,
                      char *cursor,
                      const struct text *text,
                      struct mapcore_error *err)
{
    uint32_t first, last;
    int error;

    for (;;) {
        cursor += strspn(cursor, ", \t\r\v\f");
        if (*cursor == '\0')
            return 0;
        if (!mapping_take_digits(&cursor, &first))
            return text_error(text, err, MAPCORE_EPARSE,
                              "expected ranks like 0,4-7 at '%.40s'", cursor);
        last = first;
        if (*cursor == '-') {
            cursor++;
            if (!mapping_take_digits(&cursor, &last) || last < first)
                return text_error(text, err, MAPCORE_EPARSE,
                                  "ranks from %u to what?", first);
        }
        error = add_ranks(order, nslots, first, last, text, err);
        if (error < 0)
            return error;
    }
}

/* From ranks in the order of their places, host after host, to places in the
 * order of ranks. */
static int sort_order(struct mapping_lines *out,
                      const struct mapping_lines *order,
                      const struct mapping_hosts *hosts,
                      const struct text *text,
                      struct mapcore_error *err)
{
    uint32_t host = 0, slot = 0;
    int error = 0;

    for (uint32_t i = 0; error == 0 && i < order->n; i++)
        error = mapping_lines_add(out, MAPCORE_NONE, 0, text, err);
    for (uint32_t i = 0; error == 0 && i < order->n; i++) {
        uint32_t r = order->host[i];

        while (slot == hosts->slots[host]) {
            host++;
            slot = 0;
        }
        if (r >= order->n)
            return error_set(err, MAPCORE_EPARSE,
                             "%s:%zu: rank %u in an order of %u",
                             text_name(text), order->line[i], r, order->n);
        if (out->host[r] != MAPCORE_NONE)
            return error_set(err, MAPCORE_EPARSE,
                             "%s:%zu: rank %u stands in line %zu already",
                             text_name(text), order->line[i], r, out->line[r]);
        out->host[r] = host;
        out->slot[r] = slot++;
        out->line[r] = order->line[i];
    }
    return error;
}

int mapping_read_order(struct mapping_lines *out,
                       struct text *text,
                       const struct mapping_hosts *hosts,
                       struct mapcore_error *err)
{
    struct mapping_lines order = {0};
    uint64_t nslots = count_slots(hosts);
    char *line;
    int error = 0;

    if (hosts->n == 0 || !hosts->slots)
        return error_set(err, MAPCORE_EINVAL,
                         "%s is an order of ranks, which means nothing without "
                         "the nodes and their slots",
                         text_name(text));
    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line) {
        line[strcspn(line, "#")] = '\0';
        error = take_order(&order, nslots, line, text, err);
    }
    if (error == 0)
        error = sort_order(out, &order, hosts, text, err);
    mapping_lines_clear(&order);
    return error;
}
