/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metis.c - METIS's files, which every mapper and partitioner can read (METIS 5
 * manual, section 4.5): each task's neighbours, a line a task, and the check
 * that both ends of every edge say the same */
#include "config.h"

#include "graph/file/formats.h"

#include "base/array.h"
#include "graph/csr.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* What the header says first. Nothing is allocated on its word: arrays grow
 * with the rows that really come. */
struct row_reader {
    struct text *text;
    struct mapcore_error *err;
    char *cursor; /* in the line read last; NULL: there was none */
    uint32_t ntasks;
    uint64_t nedges;
    bool has_sizes, has_edge_weights;
    uint32_t nweights;         /* of each task; the first is its load */
    struct mapcore_graph rows; /* rows.ntasks of them, in the file's order */
    size_t length;             /* neighbours */
    size_t *line;              /* [rows.ntasks], where each stands */
    size_t nrow, ntask, nbytes, nload, nline; /* capacities */
};

static int next_line(struct row_reader *r)
{
    int error;

    do
        error = text_line(r->text, &r->cursor);
    while (error == 0 && r->cursor && *r->cursor == '%');
    return error;
}

static int take_u64(struct row_reader *r, uint64_t *out, const char *what)
{
    return text_read_u64(out, r->text, &r->cursor, what);
}

static int take_u32(struct row_reader *r, uint32_t *out, const char *what)
{
    return text_read_u32(out, r->text, &r->cursor, what);
}

/* Which of sizes, weights of tasks, weights of edges there are. */
static int read_format(struct row_reader *r, const char *word)
{
    size_t n = strlen(word);

    if (n > 3 || strspn(word, "01") != n)
        return text_error(r->text, MAPCORE_EPARSE,
                          "format '%.40s' is not made of up to three digits 0 "
                          "or 1",
                          word);
    r->has_edge_weights = word[n - 1] == '1';
    r->nweights = n >= 2 && word[n - 2] == '1';
    r->has_sizes = n == 3 && word[0] == '1';
    return 0;
}

/* The first line that is no comment: n m [fmt [ncon]]. */
static int read_header(struct row_reader *r)
{
    bool has_weights;
    char *word;
    int error = next_line(r);

    if (error < 0)
        return error;
    if (!r->cursor)
        return text_error_line(r->text, 0, MAPCORE_EPARSE,
                               "empty, not a METIS graph file");
    if ((error = take_u32(r, &r->ntasks, "number of tasks")) < 0)
        return error;
    if (r->ntasks == 0)
        return text_error(r->text, MAPCORE_EPARSE, "a graph without tasks");
    if (r->ntasks >= MAPCORE_NONE - 1)
        return text_error(r->text, MAPCORE_ERANGE, "too many tasks");
    if ((error = take_u64(r, &r->nedges, "number of edges")) < 0)
        return error;
    if (!(word = text_take_word(&r->cursor)))
        return 0;
    if ((error = read_format(r, word)) < 0)
        return error;
    has_weights = r->nweights > 0;
    if (!text_at_end(r->cursor) &&
        (error = take_u32(r, &r->nweights, "number of vertex weights")) < 0)
        return error;
    if (!has_weights && r->nweights > 0)
        return text_error(r->text, MAPCORE_EPARSE,
                          "%u weights per vertex, but the format says that "
                          "there are none",
                          r->nweights);
    if (!text_at_end(r->cursor))
        return text_error(r->text, MAPCORE_EPARSE,
                          "more than four numbers in the header");
    return 0;
}

/* A neighbour of task t, and the weight of their edge. */
static int read_end(struct row_reader *r, uint32_t t)
{
    struct mapcore_graph *rows = &r->rows;
    uint64_t bytes = 1;
    uint32_t end;
    int error = take_u32(r, &end, "neighbour");

    if (error < 0)
        return error;
    if (end < 1 || end > r->ntasks)
        return text_error(r->text, MAPCORE_EPARSE,
                          "neighbour %u is not one of the tasks 1 to %u", end,
                          r->ntasks);
    if (end == t + 1)
        return text_error(r->text, MAPCORE_EPARSE,
                          "task %u is its own neighbour", end);
    if (r->has_edge_weights &&
        (error = take_u64(r, &bytes, "weight of the edge")) < 0)
        return error;
    if ((error = array_reserve(&rows->task, &r->ntask, r->length + 1,
                               sizeof(*rows->task), r->err)) < 0 ||
        (error = array_reserve(&rows->bytes, &r->nbytes, r->length + 1,
                               sizeof(*rows->bytes), r->err)) < 0)
        return error;
    rows->task[r->length] = end - 1;
    rows->bytes[r->length++] = bytes;
    return 0;
}

/* What is more than UINT32_MAX counts as that. */
static int read_weights(struct row_reader *r, uint32_t t)
{
    struct mapcore_graph *rows = &r->rows;
    uint64_t number;
    int error = 0;

    for (uint32_t i = 0; i < r->nweights; i++) {
        if ((error = take_u64(r, &number, "weight of the vertex")) < 0)
            return error;
        if (i > 0)
            continue;
        error = array_reserve(&rows->load, &r->nload, (size_t)t + 1,
                              sizeof(*rows->load), r->err);
        if (error < 0)
            return error;
        rows->load[t] = number < UINT32_MAX ? (uint32_t)number : UINT32_MAX;
    }
    return 0;
}

static int read_row(struct row_reader *r, uint32_t t)
{
    struct mapcore_graph *rows = &r->rows;
    uint64_t size;
    int error;

    if ((r->has_sizes &&
         (error = take_u64(r, &size, "size of the vertex")) < 0) ||
        (error = read_weights(r, t)) < 0)
        return error;
    while (!text_at_end(r->cursor))
        if ((error = read_end(r, t)) < 0)
            return error;
    if ((error = array_reserve(&rows->row, &r->nrow, (size_t)t + 2,
                               sizeof(*rows->row), r->err)) < 0 ||
        (error = array_reserve(&r->line, &r->nline, (size_t)t + 1,
                               sizeof(*r->line), r->err)) < 0)
        return error;
    rows->row[0] = 0;
    rows->row[t + 1] = r->length;
    rows->ntasks = t + 1;
    r->line[t] = text_line_number(r->text);
    return 0;
}

static int read_rows(struct row_reader *r)
{
    int error;

    for (uint32_t t = 0; t < r->ntasks; t++) {
        if ((error = next_line(r)) < 0)
            return error;
        if (!r->cursor)
            return text_error(r->text, MAPCORE_EPARSE,
                              "the header speaks of %u task%s, the file ends "
                              "after %u",
                              r->ntasks, text_plural(r->ntasks), t);
        if ((error = read_row(r, t)) < 0)
            return error;
    }
    while ((error = next_line(r)) == 0 && r->cursor)
        if (!text_at_end(r->cursor))
            return text_error(r->text, MAPCORE_EPARSE,
                              "a line behind the last of %u task%s", r->ntasks,
                              text_plural(r->ntasks));
    return error;
}

static int not_named_back(const struct row_reader *r, uint32_t a, uint32_t b)
{
    return text_error_line(r->text, r->line[a], MAPCORE_EPARSE,
                           "task %u names %u as its neighbour, but %u does not "
                           "name %u",
                           a + 1, b + 1, b + 1, a + 1);
}

/* Compares row t with what the other ends say of t: other is the transpose. */
static int check_row(const struct row_reader *r,
                     const struct mapcore_graph *rows,
                     const struct mapcore_graph *other,
                     uint32_t t)
{
    size_t i = rows->row[t], j = other->row[t];
    size_t iend = rows->row[t + 1], jend = other->row[t + 1];

    for (; i < iend || j < jend; i++, j++) {
        if (j == jend || (i < iend && rows->task[i] < other->task[j]))
            return not_named_back(r, t, rows->task[i]);
        if (i == iend || rows->task[i] > other->task[j])
            return not_named_back(r, other->task[j], t);
        if (rows->bytes[i] != other->bytes[j])
            return text_error_line(r->text, r->line[t], MAPCORE_EPARSE,
                                   "the edge between %u and %u weighs %" PRIu64
                                   " here, but %" PRIu64 " in line %zu",
                                   t + 1, rows->task[i] + 1, rows->bytes[i],
                                   other->bytes[j], r->line[rows->task[i]]);
    }
    return 0;
}

/* Whether both ends of every edge say the same; and the sum of all. */
static int check(const struct row_reader *r,
                 struct mapcore_graph *rows,
                 const struct mapcore_graph *other)
{
    int error = 0;

    for (uint32_t t = 0; t < rows->ntasks; t++)
        for (size_t i = rows->row[t] + 1; i < rows->row[t + 1]; i++)
            if (rows->task[i] == rows->task[i - 1])
                return text_error_line(r->text, r->line[t], MAPCORE_EPARSE,
                                       "task %u names its neighbour %u twice",
                                       t + 1, rows->task[i] + 1);
    for (uint32_t t = 0; error == 0 && t < rows->ntasks; t++)
        error = check_row(r, rows, other, t);
    if (error < 0)
        return error;
    if (r->length / 2 != r->nedges)
        return text_error(r->text, MAPCORE_EPARSE,
                          "the header speaks of %" PRIu64
                          " edges, the rows hold %zu",
                          r->nedges, r->length / 2);
    for (uint32_t t = 0; t < rows->ntasks; t++)
        for (size_t i = rows->row[t]; i < rows->row[t + 1]; i++)
            if (rows->task[i] > t &&
                (__builtin_add_overflow(rows->total, rows->bytes[i],
                                        &rows->total) ||
                 rows->total > INT64_MAX))
                return text_error_line(r->text, r->line[t], MAPCORE_ERANGE,
                                       "with this row the weights of all edges "
                                       "exceed 2^63");
    return 0;
}

/* Rows and their neighbours ascending, of what is freed meanwhile. */
static int make_graph(struct mapcore_graph **out, struct row_reader *r)
{
    struct mapcore_graph *graph = array_alloc(1, sizeof(*graph), r->err);
    struct mapcore_graph other = {0};
    int error;

    if (!graph)
        return MAPCORE_ENOMEM;
    error = csr_transpose(&other, &r->rows, r->err);
    graph->load = r->rows.load;
    r->rows.load = NULL;
    csr_clear(&r->rows);
    if (error == 0 && (error = csr_transpose(graph, &other, r->err)) == 0)
        error = check(r, graph, &other);
    csr_clear(&other);
    if (error < 0) {
        mapcore_graph_destroy(graph);
        return error;
    }
    csr_tidy(graph);
    *out = graph;
    return 0;
}

int graph_read_metis(struct mapcore_graph **out,
                     struct text *text,
                     const struct mapcore_graph_reading *how)
{
    struct row_reader r = {.text = text, .err = text_err(text)};
    int error = read_header(&r);

    (void)how;
    if (error == 0)
        error = read_rows(&r);
    if (error == 0)
        error = make_graph(out, &r);
    csr_clear(&r.rows);
    free(r.line);
    return error;
}
