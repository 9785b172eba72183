/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* derived.c - graphs made of graphs: added up by weight and scaled in exact
 * integers, so that the same profile gives the same graph everywhere, or made
 * sparse; and which types of call count */
#include "config.h"

#include "graph/graph.h"

#include "base/array.h"
#include "graph/csr.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* A share of 1 in fixed point. A share that is known to a millionth is known
 * better than the time that it was made from. */
#define ONE (UINT64_C(1) << 20)

/* Shares of the weights' sum in units of 1 / ONE, rounded to the nearest. Every
 * weight above 0 gives at least 1; where all are 0, all graphs weigh the same;
 * without weights each share is 1. */
static int make_shares(uint64_t *out,
                       const double *weights,
                       size_t n,
                       struct mapcore_error *err)
{
    double sum = 0;

    if (!weights) {
        for (size_t i = 0; i < n; i++)
            out[i] = ONE;
        return 0;
    }
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(weights[i]) || weights[i] < 0)
            return error_set(err, MAPCORE_EINVAL, "graph %zu: a weight of %g",
                             i, weights[i]);
        sum += weights[i];
    }
    if (!isfinite(sum))
        return error_set(err, MAPCORE_EINVAL,
                         "the weights of all graphs add up to infinity");
    for (size_t i = 0; i < n; i++) {
        double share = sum > 0 ? weights[i] / sum : 1.0 / (double)n;

        out[i] = (uint64_t)(share * (double)ONE + 0.5);
        if (out[i] == 0 && share > 0)
            out[i] = 1;
    }
    return 0;
}

static int check_graphs(size_t *nedges,
                        const struct mapcore_graph *const *graphs,
                        size_t n,
                        struct mapcore_error *err)
{
    *nedges = 0;
    if (n == 0)
        return error_set(err, MAPCORE_EINVAL, "no graph to add up");
    for (size_t g = 0; g < n; g++) {
        if (graphs[g]->ntasks != graphs[0]->ntasks)
            return error_set(err, MAPCORE_EINVAL,
                             "graphs of %u and of %u tasks cannot be added up",
                             graphs[0]->ntasks, graphs[g]->ntasks);
        *nedges += mapcore_graph_nedges(graphs[g]);
    }
    return 0;
}

/* One task's row of all graphs, merged: the rows are ascending. */
struct merge {
    const struct mapcore_graph *const *graphs;
    uint64_t *share; /* [n] */
    size_t n;
    size_t *at; /* [n], where each graph's row goes on */
};

/* The least neighbour above t that a graph goes on with, or MAPCORE_NONE. */
static uint32_t next_neighbour(struct merge *merge, uint32_t t)
{
    uint32_t least = MAPCORE_NONE;

    for (size_t g = 0; g < merge->n; g++) {
        const struct mapcore_graph *graph = merge->graphs[g];

        while (merge->at[g] < graph->row[t + 1] &&
               graph->task[merge->at[g]] < t)
            merge->at[g]++;
        if (merge->at[g] < graph->row[t + 1] &&
            graph->task[merge->at[g]] < least)
            least = graph->task[merge->at[g]];
    }
    return least;
}

/* The weight of the edge to u, of all graphs that have it; 63 bits of bytes
 * times 21 of a share fit easily. False when it does not fit 63 bits. */
static bool weigh(uint64_t *out, struct merge *merge, uint32_t t, uint32_t u)
{
    unsigned __int128 sum = 0;

    for (size_t g = 0; g < merge->n; g++) {
        const struct mapcore_graph *graph = merge->graphs[g];
        size_t i = merge->at[g];

        if (i < graph->row[t + 1] && graph->task[i] == u) {
            sum += (unsigned __int128)merge->share[g] * graph->bytes[i];
            merge->at[g]++;
        }
    }
    if (sum == 0) {
        *out = 0;
        return true;
    }
    sum = (sum + ONE / 2) / ONE;
    *out = sum == 0 ? 1 : (uint64_t)sum;
    return sum <= INT64_MAX;
}

static int merge_rows(size_t *nedges,
                      struct mapcore_edge *edges,
                      struct merge *merge,
                      struct mapcore_error *err)
{
    uint32_t ntasks = merge->graphs[0]->ntasks, u;
    size_t n = 0;

    for (uint32_t t = 0; t < ntasks; t++) {
        for (size_t g = 0; g < merge->n; g++)
            merge->at[g] = merge->graphs[g]->row[t];
        while ((u = next_neighbour(merge, t)) != MAPCORE_NONE) {
            edges[n] = (struct mapcore_edge){.a = t, .b = u};
            if (!weigh(&edges[n++].bytes, merge, t, u))
                return error_set(err, MAPCORE_ERANGE,
                                 "the bytes of an edge exceed 2^63");
        }
    }
    *nedges = n;
    return 0;
}

int mapcore_graph_sum(struct mapcore_graph **out,
                      const struct mapcore_graph *const *graphs,
                      const double *weights,
                      size_t ngraphs,
                      struct mapcore_error *err)
{
    struct merge merge = {.graphs = graphs, .n = ngraphs};
    struct arena arena = {.err = err};
    struct mapcore_edge *edges;
    size_t nedges;
    int error = check_graphs(&nedges, graphs, ngraphs, err);

    if (error < 0)
        return error;
    edges = arena_alloc(&arena, nedges, sizeof(*edges));
    merge.share = arena_alloc(&arena, ngraphs, sizeof(*merge.share));
    merge.at = arena_alloc(&arena, ngraphs, sizeof(*merge.at));
    error = arena.error;
    if (error == 0)
        error = make_shares(merge.share, weights, ngraphs, err);
    if (error == 0)
        error = merge_rows(&nedges, edges, &merge, err);
    if (error == 0)
        error =
            mapcore_graph_create(out, graphs[0]->ntasks, edges, nedges, err);
    arena_clear(&arena);
    return error;
}

int mapcore_graph_scale(struct mapcore_graph **out,
                        const struct mapcore_graph *graph,
                        unsigned bits,
                        struct mapcore_error *err)
{
    size_t nedges = mapcore_graph_nedges(graph), n = 0;
    uint64_t limit, left;

    if (bits < 1 || bits > 63)
        return error_set(err, MAPCORE_EINVAL, "weights of %u bits", bits);
    limit = ((UINT64_C(1) << bits) - 1) / 2;
    if (nedges > limit)
        return error_set(err, MAPCORE_ERANGE,
                         "%zu edges do not fit a sum of %u bits", nedges, bits);
    /* Each edge has at least 1; the rest is shared out. */
    left = limit - nedges;

    struct mapcore_edge *edges = array_alloc(nedges, sizeof(*edges), err);
    if (!edges)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint64_t bytes = graph->bytes[i];

            if (graph->task[i] < t)
                continue;
            if (graph->total > limit)
                bytes = 1 + (uint64_t)((unsigned __int128)bytes * left /
                                       graph->total);
            edges[n++] = (struct mapcore_edge){t, graph->task[i], bytes};
        }
    }
    int error = mapcore_graph_create(out, graph->ntasks, edges, n, err);
    free(edges);
    return error;
}

/* One neighbour, with what decides its rank in the row. */
struct neighbour {
    uint64_t bytes;
    uint32_t task;
    size_t at; /* in the graph's arrays */
};

/* Heaviest first, then the least task. */
static int compare(const void *a, const void *b)
{
    const struct neighbour *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return (x->task > y->task) - (x->task < y->task);
}

static size_t longest_row(const struct mapcore_graph *graph)
{
    size_t longest = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        if (graph->row[t + 1] - graph->row[t] > longest)
            longest = graph->row[t + 1] - graph->row[t];
    return longest;
}

/* Marks what each task wants to keep, in its own row. */
static void mark_rows(bool *wanted,
                      struct neighbour *row,
                      const struct mapcore_graph *graph,
                      const struct mapcore_thinning *thinning)
{
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        size_t n = 0;

        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++)
            if (graph->bytes[i] >= thinning->least_bytes)
                row[n++] = (struct neighbour){
                    .bytes = graph->bytes[i], .task = graph->task[i], .at = i};
        if (thinning->neighbours > 0 && n > thinning->neighbours) {
            qsort(row, n, sizeof(*row), compare);
            n = thinning->neighbours;
        }
        for (size_t i = 0; i < n; i++)
            wanted[row[i].at] = true;
    }
}

/* Edges that one of their ends wants. The rows are gone through in ascending
 * order, so at[u] stands at the place of t in the row of u. */
static size_t collect(struct mapcore_edge *edges,
                      size_t *at,
                      struct mapcore_thinned *dropped,
                      const bool *wanted,
                      const struct mapcore_graph *graph)
{
    size_t n = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        at[t] = graph->row[t];
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t u = graph->task[i];

            if (u < t)
                continue;
            if (wanted[i] || wanted[at[u]]) {
                edges[n++] = (struct mapcore_edge){t, u, graph->bytes[i]};
            } else {
                dropped->edges++;
                dropped->bytes += graph->bytes[i];
            }
            at[u]++;
        }
    }
    return n;
}

int mapcore_graph_thin(struct mapcore_graph **out,
                       struct mapcore_thinned *dropped,
                       const struct mapcore_graph *graph,
                       const struct mapcore_thinning *thinning,
                       struct mapcore_error *err)
{
    size_t length = graph->row[graph->ntasks], n;
    struct arena arena = {.err = err};
    struct mapcore_edge *edges =
        arena_alloc(&arena, length / 2, sizeof(*edges));
    struct neighbour *row =
        arena_alloc(&arena, longest_row(graph), sizeof(*row));
    bool *wanted = arena_alloc(&arena, length, sizeof(*wanted));
    size_t *at = arena_alloc(&arena, graph->ntasks, sizeof(*at));
    struct mapcore_thinned lost = {0};
    int error = arena.error;

    if (error == 0) {
        mark_rows(wanted, row, graph, thinning);
        n = collect(edges, at, &lost, wanted, graph);
        error = mapcore_graph_create(out, graph->ntasks, edges, n, err);
    }
    if (error == 0 && dropped)
        *dropped = lost;
    arena_clear(&arena);
    return error;
}

/* What sums of decimal fractions may lack: 0.6 + 0.3 is a share of 0.9. */
static const double ROUNDING = 1e-12;

static int check_times(const double *seconds,
                       size_t n,
                       double share,
                       struct mapcore_error *err)
{
    if (!(share > 0 && share <= 1))
        return error_set(err, MAPCORE_EINVAL,
                         "a share of %g: it must be above 0 and at most 1",
                         share);
    for (size_t i = 0; i < n; i++)
        if (!isfinite(seconds[i]) || seconds[i] < 0)
            return error_set(err, MAPCORE_EINVAL,
                             "type %zu: %g is no time in seconds", i,
                             seconds[i]);
    return 0;
}

/* The heaviest type that is neither large nor taken; n when there is none. */
static size_t find_heaviest(const bool *critical,
                            const double *seconds,
                            const bool *is_large,
                            size_t n)
{
    size_t best = n;

    for (size_t i = 0; i < n; i++)
        if (!is_large[i] && !critical[i] &&
            (best == n || seconds[i] > seconds[best]))
            best = i;
    return best;
}

int mapcore_critical_select(bool *critical,
                            const double *seconds,
                            const bool *is_large,
                            size_t n,
                            double share,
                            struct mapcore_error *err)
{
    double total = 0, taken = 0;
    int error = check_times(seconds, n, share, err);

    if (error < 0)
        return error;
    for (size_t i = 0; i < n; i++) {
        critical[i] = false;
        if (!is_large[i])
            total += seconds[i];
    }
    /* Sums of finite times may not be. */
    if (!isfinite(total))
        return error_set(err, MAPCORE_EINVAL,
                         "the times of all types add up to infinity");
    for (;;) {
        size_t i = find_heaviest(critical, seconds, is_large, n);

        if (i == n || (total > 0 && taken >= share * total * (1 - ROUNDING)))
            return 0;
        critical[i] = true;
        taken += seconds[i];
    }
}
