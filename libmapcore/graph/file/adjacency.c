/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adjacency.c - rows of neighbours from METIS and Scotch files, checked to be a
 * graph: every edge there twice, and the same both times */
#include "config.h"

#include "graph/file/adjacency.h"

#include "base/array.h"
#include "graph/csr.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct checker {
    struct adjacency *rows;
    const struct adjacency_names *names;
    const struct text *text;
    struct mapcore_error *err;
};

void adjacency_clear(struct adjacency *rows)
{
    free(rows->row);
    free(rows->task);
    free(rows->bytes);
    free(rows->line);
    free(rows->load);
    *rows = (struct adjacency){0};
}

int adjacency_add(struct adjacency *rows,
                  uint32_t task,
                  uint64_t bytes,
                  struct mapcore_error *err)
{
    size_t at = rows->length;
    int error = array_reserve(&rows->task, &rows->ntask, at + 1,
                              sizeof(*rows->task), err);

    if (error == 0)
        error = array_reserve(&rows->bytes, &rows->nbytes, at + 1,
                              sizeof(*rows->bytes), err);
    if (error < 0)
        return error;
    rows->task[at] = task;
    rows->bytes[at] = bytes;
    rows->length++;
    return 0;
}

int adjacency_set_load(struct adjacency *rows,
                       uint64_t load,
                       struct mapcore_error *err)
{
    int error = array_reserve(&rows->load, &rows->nload, (size_t)rows->n + 1,
                              sizeof(*rows->load), err);

    if (error == 0)
        rows->load[rows->n] = load < UINT32_MAX ? (uint32_t)load : UINT32_MAX;
    return error;
}

int adjacency_end_row(struct adjacency *rows,
                      size_t line,
                      struct mapcore_error *err)
{
    size_t n = rows->n;
    int error =
        array_reserve(&rows->row, &rows->nrow, n + 2, sizeof(*rows->row), err);

    if (error == 0)
        error = array_reserve(&rows->line, &rows->nline, n + 1,
                              sizeof(*rows->line), err);
    if (error < 0)
        return error;
    rows->row[0] = 0;
    rows->row[n + 1] = rows->length;
    rows->line[n] = line;
    rows->n++;
    return 0;
}

/* The same neighbours, each in the row of its other end. Rows come out
 * ascending. */
static int transpose(struct adjacency *out,
                     const struct adjacency *rows,
                     struct mapcore_error *err)
{
    uint32_t ntasks = rows->n;
    size_t n = rows->row[ntasks], start = 0;

    if (!out->row) {
        out->row = array_alloc((size_t)ntasks + 1, sizeof(*out->row), err);
        out->task = array_alloc(n, sizeof(*out->task), err);
        out->bytes = array_alloc(n, sizeof(*out->bytes), err);
        if (!out->row || !out->task || !out->bytes)
            return MAPCORE_ENOMEM;
        out->n = ntasks;
    } else {
        memset(out->row, 0, ((size_t)ntasks + 1) * sizeof(*out->row));
    }
    for (size_t i = 0; i < n; i++)
        out->row[rows->task[i]]++;
    for (uint32_t t = 0; t < ntasks; t++) {
        size_t count = out->row[t];

        out->row[t] = start;
        start += count;
    }
    for (uint32_t t = 0; t < ntasks; t++) {
        for (size_t i = rows->row[t]; i < rows->row[t + 1]; i++) {
            size_t at = out->row[rows->task[i]]++;

            out->task[at] = t;
            out->bytes[at] = rows->bytes[i];
        }
    }
    for (uint32_t t = ntasks; t > 0; t--)
        out->row[t] = out->row[t - 1];
    out->row[0] = 0;
    return 0;
}

static uint32_t name_of(const struct checker *c, uint32_t task)
{
    return c->names->label ? c->names->label[task] : c->names->first + task;
}

static int row_error(const struct checker *c,
                     uint32_t task,
                     int code,
                     const char *format,
                     ...) __attribute__((format(printf, 4, 5)));
static int row_error(const struct checker *c,
                     uint32_t task,
                     int error,
                     const char *format,
                     ...)
{
    va_list ap;

    va_start(ap, format);
    error = error_vset_at(c->err, error, text_name(c->text),
                          c->rows->line[task], format, ap);
    va_end(ap);
    return error;
}

static int not_named_back(const struct checker *c, uint32_t a, uint32_t b)
{
    return row_error(c, a, MAPCORE_EPARSE,
                     "task %u names %u as its neighbour, but %u does not "
                     "name %u",
                     name_of(c, a), name_of(c, b), name_of(c, b),
                     name_of(c, a));
}

/* A neighbour that stands twice in row t, whose neighbours ascend, or
 * MAPCORE_NONE. */
static uint32_t find_twin(const struct adjacency *rows, uint32_t t)
{
    for (size_t i = rows->row[t] + 1; i < rows->row[t + 1]; i++) {
        if (rows->task[i] == rows->task[i - 1])
            return rows->task[i];
    }
    return MAPCORE_NONE;
}

/* Compares row t with what the other ends say of t: other is the transpose. */
static int compare_row(const struct checker *c,
                       const struct adjacency *other,
                       uint32_t t)
{
    const struct adjacency *rows = c->rows;
    size_t i = rows->row[t], j = other->row[t];
    size_t iend = rows->row[t + 1], jend = other->row[t + 1];

    for (; i < iend || j < jend; i++, j++) {
        if (j == jend || (i < iend && rows->task[i] < other->task[j]))
            return not_named_back(c, t, rows->task[i]);
        if (i == iend || rows->task[i] > other->task[j])
            return not_named_back(c, other->task[j], t);
        if (rows->bytes[i] != other->bytes[j])
            return row_error(c, t, MAPCORE_EPARSE,
                             "the edge between %u and %u weighs %" PRIu64
                             " here, but %" PRIu64 " in line %zu",
                             name_of(c, t), name_of(c, rows->task[i]),
                             rows->bytes[i], other->bytes[j],
                             rows->line[rows->task[i]]);
    }
    return 0;
}

/* Sorts the rows (by transposing them twice) and checks that both ends of
 * every edge say the same. */
static int sort_and_check(struct checker *c, uint64_t nedges)
{
    struct adjacency *rows = c->rows, other = {0};
    int error = transpose(&other, rows, c->err);

    if (error == 0)
        error = transpose(rows, &other, c->err);
    for (uint32_t t = 0; error == 0 && t < rows->n; t++) {
        uint32_t twin = find_twin(rows, t);

        if (twin != MAPCORE_NONE)
            error = row_error(c, t, MAPCORE_EPARSE,
                              "task %u names its neighbour %u twice",
                              name_of(c, t), name_of(c, twin));
    }
    for (uint32_t t = 0; error == 0 && t < rows->n; t++)
        error = compare_row(c, &other, t);
    adjacency_clear(&other);
    if (error < 0)
        return error;
    if (rows->length / 2 != nedges)
        return text_error(c->text, c->err, MAPCORE_EPARSE,
                          "the header speaks of %" PRIu64
                          " edges, the rows hold %zu",
                          nedges, rows->length / 2);
    return 0;
}

/* Leaves out the edges of weight 0 and adds up the others. */
static int drop_zeros(struct checker *c, uint64_t *total)
{
    struct adjacency *rows = c->rows;
    size_t n = 0, begin = 0;

    *total = 0;
    for (uint32_t t = 0; t < rows->n; t++) {
        size_t end = rows->row[t + 1];

        for (size_t i = begin; i < end; i++) {
            if (rows->bytes[i] == 0)
                continue;
            if (rows->task[i] > t &&
                (__builtin_add_overflow(*total, rows->bytes[i], total) ||
                 *total > INT64_MAX))
                return row_error(c, t, MAPCORE_ERANGE,
                                 "with this row the weights of all edges "
                                 "exceed 2^63");
            rows->task[n] = rows->task[i];
            rows->bytes[n++] = rows->bytes[i];
        }
        begin = end;
        rows->row[t + 1] = n;
    }
    return 0;
}

int adjacency_to_graph(struct mapcore_graph **out,
                       struct adjacency *rows,
                       uint64_t nedges,
                       const struct adjacency_names *names,
                       const struct text *text,
                       struct mapcore_error *err)
{
    struct checker checker = {rows, names, text, err};
    uint64_t total;
    int error;

    if ((error = sort_and_check(&checker, nedges)) < 0 ||
        (error = drop_zeros(&checker, &total)) < 0)
        return error;

    struct mapcore_graph *graph = array_alloc(1, sizeof(*graph), err);
    if (!graph)
        return MAPCORE_ENOMEM;
    graph->ntasks = rows->n;
    graph->total = total;
    graph->row = rows->row;
    graph->task = rows->task;
    graph->bytes = rows->bytes;
    graph->load = rows->load;
    rows->load = NULL;
    rows->row = NULL;
    rows->task = NULL;
    rows->bytes = NULL;
    *out = graph;
    return 0;
}
