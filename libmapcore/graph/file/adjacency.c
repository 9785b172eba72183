/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adjacency.c - rows of neighbours from METIS and Scotch files, checked to be a
 * graph: every edge there twice, and the same both times */
#include "config.h"

#include "graph/file/adjacency.h"

#include "base/array.h"
#include "graph/csr.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>

struct checker {
    struct adjacency *rows;
    struct mapcore_graph *sorted; /* the same, ascending */
    const struct adjacency_names *names;
    const struct text *text;
    struct mapcore_error *err;
};

void adjacency_clear(struct adjacency *rows)
{
    csr_clear(&rows->of);
    free(rows->line);
    *rows = (struct adjacency){0};
}

int adjacency_add(struct adjacency *rows,
                  uint32_t task,
                  uint64_t bytes,
                  struct mapcore_error *err)
{
    struct mapcore_graph *of = &rows->of;
    int error;

    if ((error = array_reserve(&of->task, &rows->ntask, rows->length + 1,
                               sizeof(*of->task), err)) < 0 ||
        (error = array_reserve(&of->bytes, &rows->nbytes, rows->length + 1,
                               sizeof(*of->bytes), err)) < 0)
        return error;
    of->task[rows->length] = task;
    of->bytes[rows->length++] = bytes;
    return 0;
}

int adjacency_set_load(struct adjacency *rows,
                       uint64_t load,
                       struct mapcore_error *err)
{
    struct mapcore_graph *of = &rows->of;
    int error = array_reserve(&of->load, &rows->nload, (size_t)of->ntasks + 1,
                              sizeof(*of->load), err);

    if (error == 0)
        of->load[of->ntasks] = load < UINT32_MAX ? (uint32_t)load : UINT32_MAX;
    return error;
}

int adjacency_end_row(struct adjacency *rows,
                      size_t line,
                      struct mapcore_error *err)
{
    struct mapcore_graph *of = &rows->of;
    const size_t n = of->ntasks;
    int error;

    if ((error = array_reserve(&of->row, &rows->nrow, n + 2, sizeof(*of->row),
                               err)) < 0 ||
        (error = array_reserve(&rows->line, &rows->nline, n + 1,
                               sizeof(*rows->line), err)) < 0)
        return error;
    of->row[0] = 0;
    of->row[n + 1] = rows->length;
    rows->line[n] = line;
    of->ntasks++;
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

/* Compares row t with what the other ends say of t: other is the transpose. */
static int check_row(const struct checker *c,
                     const struct mapcore_graph *other,
                     uint32_t t)
{
    const struct mapcore_graph *rows = c->sorted;
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
                             c->rows->line[rows->task[i]]);
    }
    return 0;
}

/* Whether both ends of every edge say the same. */
static int check(const struct checker *c, uint64_t nedges)
{
    const struct mapcore_graph *rows = c->sorted;
    struct mapcore_graph other = {0};
    int error = csr_transpose(&other, rows, c->err);

    for (uint32_t t = 0; error == 0 && t < rows->ntasks; t++)
        for (size_t i = rows->row[t] + 1; error == 0 && i < rows->row[t + 1];
             i++)
            if (rows->task[i] == rows->task[i - 1])
                error = row_error(c, t, MAPCORE_EPARSE,
                                  "task %u names its neighbour %u twice",
                                  name_of(c, t), name_of(c, rows->task[i]));
    for (uint32_t t = 0; error == 0 && t < rows->ntasks; t++)
        error = check_row(c, &other, t);
    csr_clear(&other);
    if (error == 0 && c->rows->length / 2 != nedges)
        error = text_error(c->text, c->err, MAPCORE_EPARSE,
                           "the header speaks of %" PRIu64
                           " edges, the rows hold %zu",
                           nedges, c->rows->length / 2);
    return error;
}

/* Leaves out the edges of weight 0 and adds up the others. */
static int drop_zeros(const struct checker *c)
{
    struct mapcore_graph *rows = c->sorted;
    size_t n = 0, begin = 0;

    for (uint32_t t = 0; t < rows->ntasks; t++) {
        size_t end = rows->row[t + 1];

        for (size_t i = begin; i < end; i++) {
            if (rows->bytes[i] == 0)
                continue;
            if (rows->task[i] > t &&
                (__builtin_add_overflow(rows->total, rows->bytes[i],
                                        &rows->total) ||
                 rows->total > INT64_MAX))
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

/* Rows and their neighbours ascending, of what is freed meanwhile. */
static int sort(struct mapcore_graph *out,
                struct mapcore_graph *of,
                const uint32_t *task,
                struct mapcore_error *err)
{
    struct mapcore_graph other = {0};
    int error = csr_transpose(&other, of, err);

    for (size_t i = 0; error == 0 && task && i < other.row[of->ntasks]; i++)
        other.task[i] = task[other.task[i]];
    out->load = of->load;
    of->load = NULL;
    csr_clear(of);
    if (error == 0)
        error = csr_transpose(out, &other, err);
    csr_clear(&other);
    return error;
}

int adjacency_to_graph(struct mapcore_graph **out,
                       struct adjacency *rows,
                       uint64_t nedges,
                       const struct adjacency_names *names,
                       const struct text *text,
                       struct mapcore_error *err)
{
    struct mapcore_graph *graph = array_alloc(1, sizeof(*graph), err);
    const struct checker c = {rows, graph, names, text, err};
    int error;

    if (!graph)
        return MAPCORE_ENOMEM;
    if ((error = sort(graph, &rows->of, names->task, err)) < 0 ||
        (error = check(&c, nedges)) < 0 || (error = drop_zeros(&c)) < 0) {
        mapcore_graph_destroy(graph);
        return error;
    }
    *out = graph;
    return 0;
}
