/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph.c - making a task graph from edges, and looking into it */
#include "config.h"

#include "graph/graph.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>

static int alloc_rows(struct mapcore_graph *rows,
                      uint32_t ntasks,
                      size_t n,
                      struct mapcore_error *err)
{
    rows->ntasks = ntasks;
    rows->row = array_alloc((size_t)ntasks + 1, sizeof(*rows->row), err);
    rows->task = array_alloc(n, sizeof(*rows->task), err);
    rows->bytes = array_alloc(n, sizeof(*rows->bytes), err);
    return rows->row && rows->task && rows->bytes ? 0 : MAPCORE_ENOMEM;
}

void csr_clear(struct mapcore_graph *rows)
{
    free(rows->row);
    free(rows->task);
    free(rows->bytes);
    free(rows->load);
    *rows = (struct mapcore_graph){0};
}

/* From counts in row[t] to the starts of the rows. */
static void counts_to_starts(struct mapcore_graph *rows)
{
    size_t start = 0;

    for (uint32_t t = 0; t <= rows->ntasks; t++) {
        size_t count = rows->row[t];

        rows->row[t] = start;
        start += count;
    }
}

/* row[t] serves as a cursor, and stands at the end of row t when all is in. */
static void put(struct mapcore_graph *rows,
                uint32_t t,
                uint32_t task,
                uint64_t bytes)
{
    size_t at = rows->row[t]++;

    rows->task[at] = task;
    rows->bytes[at] = bytes;
}

static void ends_to_starts(struct mapcore_graph *rows)
{
    for (uint32_t t = rows->ntasks; t > 0; t--)
        rows->row[t] = rows->row[t - 1];
    rows->row[0] = 0;
}

/* Rows come out ascending because the other ends are gone through in ascending
 * order. */
int csr_transpose(struct mapcore_graph *out,
                  const struct mapcore_graph *rows,
                  struct mapcore_error *err)
{
    const size_t n = rows->row[rows->ntasks];
    int error = alloc_rows(out, rows->ntasks, n, err);

    if (error < 0)
        return error;
    for (size_t i = 0; i < n; i++)
        out->row[rows->task[i]]++;
    counts_to_starts(out);
    for (uint32_t t = 0; t < rows->ntasks; t++)
        for (size_t i = rows->row[t]; i < rows->row[t + 1]; i++)
            put(out, rows->task[i], t, rows->bytes[i]);
    ends_to_starts(out);
    return 0;
}

/* Rows, ascending: every edge is an entry in those of both its ends. Self loops
 * stay, edges given twice stand twice. */
static int make_rows(struct mapcore_graph *out,
                     uint32_t ntasks,
                     const struct mapcore_edge *edges,
                     size_t nedges,
                     struct mapcore_error *err)
{
    struct mapcore_graph other = {0};
    int error = alloc_rows(&other, ntasks, 2 * nedges, err);

    if (error < 0)
        goto out;
    for (size_t i = 0; i < nedges; i++) {
        other.row[edges[i].b]++;
        other.row[edges[i].a]++;
    }
    counts_to_starts(&other);
    for (size_t i = 0; i < nedges; i++) {
        put(&other, edges[i].b, edges[i].a, edges[i].bytes);
        put(&other, edges[i].a, edges[i].b, edges[i].bytes);
    }
    ends_to_starts(&other);
    error = csr_transpose(out, &other, err);
out:
    csr_clear(&other);
    return error;
}

/* Checks the edges, and counts the bytes of those that are kept. */
static int check(uint64_t *total,
                 uint32_t ntasks,
                 const struct mapcore_edge *edges,
                 size_t nedges,
                 struct mapcore_error *err)
{
    *total = 0;
    for (size_t i = 0; i < nedges; i++) {
        const struct mapcore_edge *edge = &edges[i];

        if (edge->a >= ntasks || edge->b >= ntasks)
            return error_set(err, MAPCORE_EINVAL,
                             "edge %zu: task %u of a graph of %u tasks", i,
                             edge->a >= ntasks ? edge->a : edge->b, ntasks);
        if (edge->a != edge->b &&
            (__builtin_add_overflow(*total, edge->bytes, total) ||
             *total > INT64_MAX))
            return error_set(err, MAPCORE_ERANGE,
                             "the bytes of all edges exceed 2^63");
    }
    return 0;
}

void csr_tidy(struct mapcore_graph *graph)
{
    size_t n = 0, begin = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++) {
        const size_t first = n, end = graph->row[t + 1];

        for (size_t i = begin; i < end; i++) {
            if (graph->task[i] == t || graph->bytes[i] == 0)
                continue;
            if (n > first && graph->task[n - 1] == graph->task[i]) {
                graph->bytes[n - 1] += graph->bytes[i];
            } else {
                graph->task[n] = graph->task[i];
                graph->bytes[n++] = graph->bytes[i];
            }
        }
        begin = end;
        graph->row[t + 1] = n;
    }
}

int mapcore_graph_create(struct mapcore_graph **out,
                         uint32_t ntasks,
                         const struct mapcore_edge *edges,
                         size_t nedges,
                         struct mapcore_error *err)
{
    struct mapcore_graph *graph;
    uint64_t total;
    int error;

    if (ntasks == 0)
        return error_set(err, MAPCORE_EINVAL, "a graph without tasks");
    if ((error = check(&total, ntasks, edges, nedges, err)) < 0)
        return error;
    if (!(graph = array_alloc(1, sizeof(*graph), err)))
        return MAPCORE_ENOMEM;
    if ((error = make_rows(graph, ntasks, edges, nedges, err)) < 0) {
        mapcore_graph_destroy(graph);
        return error;
    }
    graph->total = total;
    csr_tidy(graph);
    *out = graph;
    return 0;
}

void mapcore_graph_destroy(struct mapcore_graph *graph)
{
    if (!graph)
        return;
    csr_clear(graph);
    free(graph);
}

uint32_t mapcore_graph_ntasks(const struct mapcore_graph *graph)
{
    return graph->ntasks;
}

size_t mapcore_graph_nedges(const struct mapcore_graph *graph)
{
    return graph->row[graph->ntasks] / 2;
}

uint64_t mapcore_graph_bytes(const struct mapcore_graph *graph)
{
    return graph->total;
}

size_t mapcore_graph_neighbours(const struct mapcore_graph *graph,
                                uint32_t task,
                                const uint32_t **tasks,
                                const uint64_t **bytes)
{
    size_t begin = graph->row[task];

    *tasks = graph->task + begin;
    *bytes = graph->bytes + begin;
    return graph->row[task + 1] - begin;
}
