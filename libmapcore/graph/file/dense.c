/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dense.c - matrices of all numbers, a row a line, as numpy.savetxt and
 * spreadsheets write them */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/file/edges.h"

#include <string.h>

/* Adds a row; *n: how many numbers it has. */
static int read_row(struct edges *edges,
                    uint32_t *n,
                    uint32_t row,
                    const struct text *text,
                    char *cursor,
                    struct mapcore_error *err)
{
    char *word;
    int error = 0;

    for (*n = 0; error == 0 && (word = text_take_word(&cursor)); ++*n) {
        uint64_t bytes;

        if (*n == MAPCORE_NONE)
            return text_error(text, err, MAPCORE_ERANGE, "too long a row");
        if (!edges_take_bytes(&bytes, word))
            return text_error(text, err, MAPCORE_EPARSE,
                              "'%.40s' is no number of bytes", word);
        error = edges_add(edges, row, *n, bytes, err);
    }
    return error;
}

static int read_rows(struct edges *edges,
                     uint32_t *ntasks,
                     struct text *text,
                     struct mapcore_error *err)
{
    uint32_t nrows = 0, n;
    char *line;
    int error;

    *ntasks = 0;
    while ((error = text_line(text, &line, err)) == 0 && line) {
        edges_clean_line(line);
        if (text_at_end(line))
            continue;
        if ((error = read_row(edges, &n, nrows, text, line, err)) < 0)
            return error;
        if (nrows == 0)
            *ntasks = n;
        if (n != *ntasks)
            return text_error(text, err, MAPCORE_EPARSE,
                              "%u number%s in a row, but the first row has %u",
                              n, text_plural(n), *ntasks);
        if (nrows++ == *ntasks)
            return text_error(text, err, MAPCORE_EPARSE,
                              "more rows than the %u numbers in each", n);
    }
    if (error == 0 && nrows < *ntasks)
        error = error_set(err, MAPCORE_EPARSE,
                          "%s: %u row%s of %u numbers: no square matrix",
                          text_name(text), nrows, text_plural(nrows), *ntasks);
    if (error == 0 && nrows == 0)
        error = error_set(err, MAPCORE_EPARSE, "%s: no numbers in it",
                          text_name(text));
    return error;
}

int graph_read_dense(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how,
                     struct mapcore_error *err)
{
    struct edges edges = {.name = text_name(text), .text = text};
    uint32_t ntasks;
    int error = read_rows(&edges, &ntasks, text, err);

    (void)how;
    if (error == 0)
        error = edges_to_graph(out, &edges, ntasks, true, err);
    edges_clear(&edges);
    return error;
}
