/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edge_list.c - lists of edges, one a line, as scripts and spreadsheets write
 * them */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/file/edges.h"

#include <ctype.h>
#include <string.h>

/* Ends the line at a comment and makes blanks of commas and semicolons. */
static void clean(char *line)
{
    line[strcspn(line, "#%")] = '\0';
    for (; *line != '\0'; line++)
        if (*line == ',' || *line == ';')
            *line = ' ';
}

/* The first line with words in it: "tasks N", or the names of columns, which
 * are passed over. */
static int read_header(uint32_t *ntasks,
                       struct text *text,
                       char *line,
                       struct mapcore_error *err)
{
    char *cursor = line, *word = text_take_word(&cursor);
    bool overflow;

    if (strcmp(word, "tasks") != 0)
        return 0;
    if (!text_take_u32(&cursor, ntasks, &overflow))
        return text_number_error(text, err, cursor, overflow,
                                 "number of tasks");
    if (!text_at_end(cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "more than the number of tasks");
    if (*ntasks == 0)
        return text_error(text, err, MAPCORE_EPARSE, "a graph without tasks");
    return 0;
}

static int read_edge(struct edges *edges,
                     uint32_t *ntasks,
                     struct text *text,
                     char *cursor,
                     struct mapcore_error *err)
{
    uint32_t task[2];
    uint64_t bytes = 1;
    bool overflow;

    for (int i = 0; i < 2; i++) {
        if (!text_take_u32(&cursor, &task[i], &overflow))
            return text_number_error(text, err, cursor, overflow, "task");
        if (task[i] >= MAPCORE_NONE - 1)
            return text_error(text, err, MAPCORE_ERANGE, "task %u is too large",
                              task[i]);
        if (task[i] >= *ntasks)
            *ntasks = task[i] + 1;
    }
    if (!text_at_end(cursor) && !text_take_u64(&cursor, &bytes, &overflow))
        return text_number_error(text, err, cursor, overflow,
                                 "number of bytes");
    if (!text_at_end(cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "more than two tasks and their bytes");
    return edges_add(edges, task[0], task[1], bytes, text, err);
}

static bool is_header(const char *line)
{
    line += strspn(line, " \t\"'");
    return isalpha((unsigned char)*line);
}

/* limit: tasks there may be, or 0. */
static int read_lines(struct edges *edges,
                      uint32_t *ntasks,
                      struct text *text,
                      uint32_t *limit,
                      struct mapcore_error *err)
{
    bool is_first = true;
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line) {
        clean(line);
        if (text_at_end(line))
            continue;
        if (is_first && is_header(line))
            error = read_header(limit, text, line, err);
        else
            error = read_edge(edges, ntasks, text, line, err);
        if (error < 0)
            return error;
        if (*limit > 0 && *ntasks > *limit)
            return text_error(text, err, MAPCORE_EINVAL,
                              "task %u, but the tasks are 0 to %u", *ntasks - 1,
                              *limit - 1);
        is_first = false;
    }
    return error;
}

int graph_read_edges(struct mapcore_graph **out,
                     struct text *text,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    struct edges edges = {0};
    uint32_t seen = 0, limit = ntasks;
    int error = read_lines(&edges, &seen, text, &limit, err);

    if (error == 0 && ntasks > 0 && limit != ntasks)
        error = error_set(err, MAPCORE_EINVAL, "%s has %u task%s, not %u",
                          text_name(text), limit, text_plural(limit), ntasks);
    if (error == 0 && limit == 0 && seen == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no edges in it",
                          text_name(text));
    if (error == 0)
        error = edges_to_graph(out, &edges, limit > 0 ? limit : seen,
                               ntasks > 0, text, err);
    edges_clear(&edges);
    return error;
}
