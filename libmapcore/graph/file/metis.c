/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metis.c - METIS graph files, which every mapper and partitioner can
 * read (METIS 5 manual, section 4.5) */
#include "config.h"

#include "graph/file/formats.h"

#include "graph/csr.h"
#include "graph/file/adjacency.h"

#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

/* The first line that is no comment: n m [fmt [ncon]]. Nothing is allocated on
 * its word: arrays grow with the rows that really come. */
struct metis_header {
    uint32_t ntasks;
    uint64_t nedges;
    bool has_sizes, has_vertex_weights, has_edge_weights;
    uint32_t nweights; /* per vertex */
};

struct metis_reader {
    struct text *text;
    struct mapcore_error *err;
    struct metis_header header;
    struct adjacency rows;
};

/* Next line that is no comment. */
static int next_line(struct metis_reader *r, char **line)
{
    int error;

    do
        error = text_line(r->text, line, r->err);
    while (error == 0 && *line && **line == '%');
    return error;
}

static int read_format(struct metis_reader *r, const char *word)
{
    size_t n = strlen(word);

    if (n > 3 || strspn(word, "01") != n)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "format '%.40s' is not made of up to three digits 0 "
                          "or 1",
                          word);
    r->header.has_edge_weights = word[n - 1] == '1';
    r->header.has_vertex_weights = n >= 2 && word[n - 2] == '1';
    r->header.has_sizes = n == 3 && word[0] == '1';
    r->header.nweights = r->header.has_vertex_weights;
    return 0;
}

static int take_u64(struct metis_reader *r,
                    char **cursor,
                    uint64_t *out,
                    const char *what)
{
    return text_read_u64(out, r->text, cursor, what, r->err);
}

static int take_u32(struct metis_reader *r,
                    char **cursor,
                    uint32_t *out,
                    const char *what)
{
    return text_read_u32(out, r->text, cursor, what, r->err);
}

static int read_header(struct metis_reader *r)
{
    struct metis_header *h = &r->header;
    char *cursor, *word;
    int error = next_line(r, &cursor);

    if (error < 0)
        return error;
    if (!cursor)
        return error_set(r->err, MAPCORE_EPARSE,
                         "%s: empty, not a METIS graph file",
                         text_name(r->text));
    if ((error = take_u32(r, &cursor, &h->ntasks, "number of tasks")) < 0)
        return error;
    if (h->ntasks == 0)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "a graph without tasks");
    if (h->ntasks == MAPCORE_NONE)
        return text_error(r->text, r->err, MAPCORE_ERANGE, "too many tasks");
    if ((error = take_u64(r, &cursor, &h->nedges, "number of edges")) < 0)
        return error;
    word = text_take_word(&cursor);
    if (!word)
        return 0;
    if ((error = read_format(r, word)) < 0 ||
        (!text_at_end(cursor) && (error = take_u32(r, &cursor, &h->nweights,
                                                   "number of vertex "
                                                   "weights")) < 0))
        return error;
    if (!h->has_vertex_weights && h->nweights > 0)
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "%u weights per vertex, but the format says that "
                          "there are none",
                          h->nweights);
    if (!text_at_end(cursor))
        return text_error(r->text, r->err, MAPCORE_EPARSE,
                          "more than four numbers in the header");
    return 0;
}

/* The row of task t. */
static int read_row(struct metis_reader *r, uint32_t t, char *cursor)
{
    const struct metis_header *h = &r->header;
    uint64_t ignored, weight, bytes = 1;
    uint32_t task;
    int error;

    if (h->has_sizes &&
        (error = take_u64(r, &cursor, &ignored, "size of the vertex")) < 0)
        return error;
    for (uint32_t i = 0; i < h->nweights; i++)
        if ((error = take_u64(r, &cursor, &weight, "weight of the vertex")) <
                0 ||
            (i == 0 &&
             (error = adjacency_set_load(&r->rows, weight, r->err)) < 0))
            return error;
    while (!text_at_end(cursor)) {
        if ((error = take_u32(r, &cursor, &task, "neighbour")) < 0)
            return error;
        if (task == 0 || task > h->ntasks)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "neighbour %u is not one of the tasks 1 to %u",
                              task, h->ntasks);
        if (task == t + 1)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "task %u is its own neighbour", task);
        if ((h->has_edge_weights &&
             (error = take_u64(r, &cursor, &bytes, "weight of the edge")) <
                 0) ||
            (error = adjacency_add(&r->rows, task - 1, bytes, r->err)) < 0)
            return error;
    }
    return 0;
}

static int read_rows(struct metis_reader *r)
{
    uint32_t ntasks = r->header.ntasks;
    char *line;
    int error;

    for (uint32_t t = 0; t < ntasks; t++) {
        if ((error = next_line(r, &line)) < 0)
            return error;
        if (!line)
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "the header speaks of %u task%s, the file ends "
                              "after %u",
                              ntasks, text_plural(ntasks), t);
        if ((error = read_row(r, t, line)) < 0 ||
            (error = adjacency_end_row(&r->rows, text_line_number(r->text),
                                       r->err)) < 0)
            return error;
    }
    while ((error = next_line(r, &line)) == 0 && line) {
        if (!text_at_end(line))
            return text_error(r->text, r->err, MAPCORE_EPARSE,
                              "a line behind the last of %u task%s", ntasks,
                              text_plural(ntasks));
    }
    return error;
}

int graph_read_metis(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how,
                     struct mapcore_error *err)
{
    static const struct adjacency_names names = {.first = 1};
    struct metis_reader r = {.text = text, .err = err};
    int error;

    (void)how;
    if ((error = read_header(&r)) == 0 && (error = read_rows(&r)) == 0)
        error = adjacency_to_graph(out, &r.rows, r.header.nedges, &names, text,
                                   err);
    adjacency_clear(&r.rows);
    return error;
}
