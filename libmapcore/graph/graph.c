/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph.c - making a task graph from edges, and looking into it */
#include "config.h"

#include "graph/graph.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdbool.h>
#include <stdlib.h>

/* Half of a graph: every edge stands in one row, that of one of its ends. */
struct half {
    size_t *row; /* [ntasks + 1] */
    uint32_t *task;
    uint64_t *bytes;
};

static void half_clear(struct half *half)
{
    free(half->row);
    free(half->task);
    free(half->bytes);
    *half = (struct half){0};
}

static int half_alloc(struct half *half,
                      uint32_t ntasks,
                      size_t nedges,
                      struct mapcore_error *err)
{
    half->row = array_alloc((size_t)ntasks + 1, sizeof(*half->row), err);
    half->task = array_alloc(nedges, sizeof(*half->task), err);
    half->bytes = array_alloc(nedges, sizeof(*half->bytes), err);
    if (!half->row || !half->task || !half->bytes)
        return MAPCORE_ENOMEM;
    return 0;
}

/* From counts in row[t] to the starts of the rows. */
static void counts_to_starts(size_t *row, uint32_t ntasks)
{
    size_t start = 0;

    for (uint32_t t = 0; t < ntasks; t++) {
        size_t count = row[t];

        row[t] = start;
        start += count;
    }
    row[ntasks] = start;
}

/* After every row[t] has served as a cursor and stands at the end of row t. */
static void ends_to_starts(size_t *row, uint32_t ntasks)
{
    for (uint32_t t = ntasks; t > 0; t--)
        row[t] = row[t - 1];
    row[0] = 0;
}

static bool is_kept(const struct mapcore_edge *edge)
{
    return edge->a != edge->b && edge->bytes > 0;
}

/* Checks the edges, and counts those that are kept and their bytes. */
static int check(size_t *kept,
                 uint64_t *total,
                 uint32_t ntasks,
                 const struct mapcore_edge *edges,
                 size_t nedges,
                 struct mapcore_error *err)
{
    *kept = 0;
    *total = 0;
    for (size_t i = 0; i < nedges; i++) {
        const struct mapcore_edge *edge = &edges[i];

        if (edge->a >= ntasks || edge->b >= ntasks)
            return error_set(err, MAPCORE_EINVAL,
                             "edge %zu: task %u of a graph of %u tasks", i,
                             edge->a >= ntasks ? edge->a : edge->b, ntasks);
        if (!is_kept(edge))
            continue;
        ++*kept;
        if (__builtin_add_overflow(*total, edge->bytes, total) ||
            *total > INT64_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "the bytes of all edges exceed 2^63");
    }
    return 0;
}

/* The kept edges in the rows of their larger ends. */
static int group_by_larger(struct half *out,
                           uint32_t ntasks,
                           const struct mapcore_edge *edges,
                           size_t nedges,
                           size_t kept,
                           struct mapcore_error *err)
{
    int error = half_alloc(out, ntasks, kept, err);

    if (error < 0)
        return error;
    for (size_t i = 0; i < nedges; i++) {
        const struct mapcore_edge *edge = &edges[i];

        if (is_kept(edge))
            out->row[edge->a > edge->b ? edge->a : edge->b]++;
    }
    counts_to_starts(out->row, ntasks);
    for (size_t i = 0; i < nedges; i++) {
        const struct mapcore_edge *edge = &edges[i];

        if (!is_kept(edge))
            continue;
        bool a_larger = edge->a > edge->b;
        size_t at = out->row[a_larger ? edge->a : edge->b]++;

        out->task[at] = a_larger ? edge->b : edge->a;
        out->bytes[at] = edge->bytes;
    }
    ends_to_starts(out->row, ntasks);
    return 0;
}

/* The same edges in the rows of their smaller ends: rows come out ascending
 * because the larger ends are gone through in ascending order. Edges given
 * twice stand side by side then, and are added up (in total they fit). */
static int group_by_smaller(struct half *out,
                            uint32_t ntasks,
                            const struct half *larger,
                            struct mapcore_error *err)
{
    size_t nedges = larger->row[ntasks];
    int error = half_alloc(out, ntasks, nedges, err);

    if (error < 0)
        return error;
    for (size_t i = 0; i < nedges; i++)
        out->row[larger->task[i]]++;
    counts_to_starts(out->row, ntasks);
    for (uint32_t t = 0; t < ntasks; t++) {
        for (size_t i = larger->row[t]; i < larger->row[t + 1]; i++) {
            size_t at = out->row[larger->task[i]]++;

            out->task[at] = t;
            out->bytes[at] = larger->bytes[i];
        }
    }
    ends_to_starts(out->row, ntasks);

    size_t n = 0;
    for (uint32_t t = 0; t < ntasks; t++) {
        size_t begin = n, end = out->row[t + 1];

        for (size_t j = out->row[t]; j < end; j++) {
            if (n > begin && out->task[n - 1] == out->task[j]) {
                out->bytes[n - 1] += out->bytes[j];
            } else {
                out->task[n] = out->task[j];
                out->bytes[n++] = out->bytes[j];
            }
        }
        out->row[t] = begin;
    }
    out->row[ntasks] = n;
    return 0;
}

/* Both halves: when row t is reached, it holds all its smaller neighbours
 * already, in ascending order, and its larger ones follow. */
static int fill(struct mapcore_graph *graph,
                const struct half *smaller,
                struct mapcore_error *err)
{
    uint32_t ntasks = graph->ntasks;
    size_t nedges = smaller->row[ntasks];

    graph->row = array_alloc((size_t)ntasks + 1, sizeof(*graph->row), err);
    graph->task = array_alloc(nedges, 2 * sizeof(*graph->task), err);
    graph->bytes = array_alloc(nedges, 2 * sizeof(*graph->bytes), err);
    if (!graph->row || !graph->task || !graph->bytes)
        return MAPCORE_ENOMEM;

    for (uint32_t t = 0; t < ntasks; t++) {
        graph->row[t] += smaller->row[t + 1] - smaller->row[t];
        for (size_t i = smaller->row[t]; i < smaller->row[t + 1]; i++)
            graph->row[smaller->task[i]]++;
    }
    counts_to_starts(graph->row, ntasks);
    for (uint32_t t = 0; t < ntasks; t++) {
        for (size_t i = smaller->row[t]; i < smaller->row[t + 1]; i++) {
            uint32_t u = smaller->task[i];
            size_t here = graph->row[t]++, there = graph->row[u]++;

            graph->task[here] = u;
            graph->task[there] = t;
            graph->bytes[here] = graph->bytes[there] = smaller->bytes[i];
        }
    }
    ends_to_starts(graph->row, ntasks);
    return 0;
}

int mapcore_graph_create(struct mapcore_graph **out,
                         uint32_t ntasks,
                         const struct mapcore_edge *edges,
                         size_t nedges,
                         struct mapcore_error *err)
{
    struct mapcore_graph *graph = NULL;
    struct half larger = {0}, smaller = {0};
    uint64_t total;
    size_t kept;
    int error;

    if (ntasks == 0)
        return error_set(err, MAPCORE_EINVAL, "a graph without tasks");
    error = check(&kept, &total, ntasks, edges, nedges, err);
    if (error < 0)
        return error;
    error = group_by_larger(&larger, ntasks, edges, nedges, kept, err);
    if (error < 0)
        goto out;
    error = group_by_smaller(&smaller, ntasks, &larger, err);
    if (error < 0)
        goto out;
    half_clear(&larger);

    graph = array_alloc(1, sizeof(*graph), err);
    if (!graph) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    graph->ntasks = ntasks;
    graph->total = total;
    error = fill(graph, &smaller, err);
    if (error < 0)
        goto out;
    *out = graph;
    graph = NULL;
out:
    mapcore_graph_destroy(graph);
    half_clear(&smaller);
    half_clear(&larger);
    return error;
}

void mapcore_graph_destroy(struct mapcore_graph *graph)
{
    if (!graph)
        return;
    free(graph->row);
    free(graph->task);
    free(graph->bytes);
    free(graph->load);
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

int mapcore_graph_sum(struct mapcore_graph **out,
                      const struct mapcore_graph *const *graphs,
                      size_t ngraphs,
                      struct mapcore_error *err)
{
    size_t nedges = 0, n = 0;

    if (ngraphs == 0)
        return error_set(err, MAPCORE_EINVAL, "no graph to add up");
    for (size_t g = 0; g < ngraphs; g++) {
        if (graphs[g]->ntasks != graphs[0]->ntasks)
            return error_set(err, MAPCORE_EINVAL,
                             "graphs of %u and of %u tasks cannot be added up",
                             graphs[0]->ntasks, graphs[g]->ntasks);
        nedges += mapcore_graph_nedges(graphs[g]);
    }

    struct mapcore_edge *edges = array_alloc(nedges, sizeof(*edges), err);
    if (!edges)
        return MAPCORE_ENOMEM;
    for (size_t g = 0; g < ngraphs; g++) {
        const struct mapcore_graph *graph = graphs[g];

        for (uint32_t t = 0; t < graph->ntasks; t++) {
            for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
                if (graph->task[i] > t)
                    edges[n++] = (struct mapcore_edge){t, graph->task[i],
                                                       graph->bytes[i]};
            }
        }
    }
    int error = mapcore_graph_create(out, graphs[0]->ntasks, edges, n, err);
    free(edges);
    return error;
}
