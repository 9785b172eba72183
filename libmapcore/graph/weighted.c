/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weighted.c - graphs added up by weight, and weights made to fit: exact
 * integers, so that the same profile gives the same graph everywhere */
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
 * weight above 0 gives at least 1; without any, all graphs weigh the same. */
static int make_shares(uint64_t *out,
                       const double *weights,
                       size_t n,
                       struct mapcore_error *err)
{
    double sum = 0;

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
    const uint64_t *share;
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

int mapcore_graph_weighted_sum(struct mapcore_graph **out,
                               const struct mapcore_graph *const *graphs,
                               const double *weights,
                               size_t ngraphs,
                               struct mapcore_error *err)
{
    struct mapcore_edge *edges = NULL;
    uint64_t *share = NULL;
    size_t *at = NULL;
    size_t nedges;
    int error = check_graphs(&nedges, graphs, ngraphs, err);

    if (error < 0)
        return error;
    edges = array_alloc(nedges, sizeof(*edges), err);
    share = array_alloc(ngraphs, sizeof(*share), err);
    at = array_alloc(ngraphs, sizeof(*at), err);
    if (!edges || !share || !at) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    error = make_shares(share, weights, ngraphs, err);
    if (error < 0)
        goto out;
    struct merge merge = {graphs, share, ngraphs, at};
    error = merge_rows(&nedges, edges, &merge, err);
    if (error == 0)
        error =
            mapcore_graph_create(out, graphs[0]->ntasks, edges, nedges, err);
out:
    free(edges);
    free(share);
    free(at);
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
    /* Each edge has 1 whatever comes, the rest is shared out. */
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
