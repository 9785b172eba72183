/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* coarse_graph.c - the task graph, or a contraction of it, in a form that
 * inner loops run through fast */
#include "config.h"

#include "map/refine/coarse_graph.h"

#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"

#include <stdlib.h>

/* Edges of a vertex below 2^30 each and 2^44 in all: times 2^16 links, and a
 * few of them added up, they stay within 63 bits. */
#define EDGE_BITS 30
#define MORE_BITS 14

static int heavier_first(const void *a, const void *b)
{
    const struct coarse_edge *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes > y->bytes ? -1 : 1;
    return x->to < y->to ? -1 : x->to > y->to;
}

static void sort_rows(struct coarse_graph *graph)
{
    for (uint32_t i = 0; i < graph->n; i++)
        qsort(graph->edge + graph->row[i], graph->row[i + 1] - graph->row[i],
              sizeof(*graph->edge), heavier_first);
}

static struct coarse_graph *make(uint32_t n,
                                 size_t nedges,
                                 struct mapcore_error *err)
{
    struct coarse_graph *graph = array_alloc(1, sizeof(*graph), err);

    if (!graph)
        return NULL;
    graph->n = n;
    graph->row = array_alloc((size_t)n + 1, sizeof(*graph->row), err);
    graph->edge = array_alloc(nedges, sizeof(*graph->edge), err);
    if (!graph->row || !graph->edge) {
        coarse_graph_destroy(graph);
        return NULL;
    }
    return graph;
}

static int32_t scaled(uint64_t bytes, unsigned shift)
{
    return (int32_t)((bytes + ((uint64_t)1 << shift) - 1) >> shift);
}

/* The heaviest edge and the sum of the heaviest row. */
struct extremes {
    uint64_t edge, row;
};

static void note(struct extremes *most, uint64_t edge)
{
    if (edge > most->edge)
        most->edge = edge;
}

static void note_row(struct extremes *most, uint64_t row)
{
    if (row > most->row)
        most->row = row;
}

static unsigned shift_for(const struct extremes *most)
{
    unsigned shift = 0;

    while (most->edge >> shift >> EDGE_BITS > 0 ||
           most->row >> shift >> EDGE_BITS >> MORE_BITS > 0)
        shift++;
    /* Rounding up must not reach the limit. */
    return shift > 0 ? shift + 1 : 0;
}

int coarse_graph_create(struct coarse_graph **out,
                        const struct mapcore_graph *graph,
                        struct mapcore_error *err)
{
    size_t nedges = graph->row[graph->ntasks];
    struct coarse_graph *coarse = make(graph->ntasks, nedges, err);
    struct extremes most = {0, 0};
    unsigned shift;

    if (!coarse)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint64_t sum = 0; /* below 2^63, as that of all bytes */

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            note(&most, graph->bytes[k]);
            sum += graph->bytes[k];
        }
        note_row(&most, sum);
    }
    shift = shift_for(&most);
    for (uint32_t t = 0; t <= graph->ntasks; t++)
        coarse->row[t] = graph->row[t];
    for (size_t k = 0; k < nedges; k++) {
        coarse->edge[k].to = graph->task[k];
        coarse->edge[k].bytes = scaled(graph->bytes[k], shift);
    }
    sort_rows(coarse);
    *out = coarse;
    return 0;
}

/* A contraction under way: what the members of one cluster send to each other
 * cluster. */
struct contraction {
    uint32_t *first;  /* [nclusters + 1] into member */
    uint32_t *member; /* [n] */
    uint64_t *bytes;  /* [nclusters], 0 but for the cluster at hand */
    uint32_t *peer;   /* [nclusters] */
};

static int group(struct contraction *c,
                 const struct coarse_graph *graph,
                 const uint32_t *cluster,
                 uint32_t nclusters,
                 struct mapcore_error *err)
{
    c->first = array_alloc((size_t)nclusters + 1, sizeof(*c->first), err);
    c->member = array_alloc(graph->n, sizeof(*c->member), err);
    c->bytes = array_alloc(nclusters, sizeof(*c->bytes), err);
    c->peer = array_alloc(nclusters, sizeof(*c->peer), err);
    if (!c->first || !c->member || !c->bytes || !c->peer)
        return MAPCORE_ENOMEM;
    bucket_items(c->first, c->member, cluster, graph->n, nclusters);
    return 0;
}

/* Collects the peers of cluster i and returns how many there are; their bytes
 * are in c->bytes and must be zeroed by the caller. */
static uint32_t collect(struct contraction *c,
                        const struct coarse_graph *graph,
                        const uint32_t *cluster,
                        uint32_t i)
{
    uint32_t npeers = 0;

    for (size_t m = c->first[i]; m < c->first[i + 1]; m++) {
        uint32_t t = c->member[m];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t peer = cluster[graph->edge[k].to];

            if (peer == i)
                continue;
            if (c->bytes[peer] == 0)
                c->peer[npeers++] = peer;
            c->bytes[peer] += (uint64_t)graph->edge[k].bytes;
        }
    }
    return npeers;
}

/* Counts the edges of the clusters and finds the extremes. */
static size_t survey(struct extremes *most,
                     struct contraction *c,
                     const struct coarse_graph *graph,
                     const uint32_t *cluster,
                     uint32_t nclusters)
{
    size_t nedges = 0;

    for (uint32_t i = 0; i < nclusters; i++) {
        uint32_t npeers = collect(c, graph, cluster, i);
        uint64_t sum = 0;

        nedges += npeers;
        for (uint32_t p = 0; p < npeers; p++) {
            note(most, c->bytes[c->peer[p]]);
            sum += c->bytes[c->peer[p]];
            c->bytes[c->peer[p]] = 0;
        }
        note_row(most, sum);
    }
    return nedges;
}

int coarse_graph_contract(struct coarse_graph **out,
                          const struct coarse_graph *graph,
                          const uint32_t *cluster,
                          uint32_t nclusters,
                          struct mapcore_error *err)
{
    struct contraction c = {0};
    struct coarse_graph *coarse = NULL;
    struct extremes most = {0, 0};
    size_t n = 0;
    unsigned shift;
    int error = group(&c, graph, cluster, nclusters, err);

    if (error < 0)
        goto out;
    coarse = make(nclusters, survey(&most, &c, graph, cluster, nclusters), err);
    if (!coarse) {
        error = MAPCORE_ENOMEM;
        goto out;
    }
    shift = shift_for(&most);
    for (uint32_t i = 0; i < nclusters; i++) {
        uint32_t npeers = collect(&c, graph, cluster, i);

        for (uint32_t p = 0; p < npeers; p++) {
            coarse->edge[n].to = c.peer[p];
            coarse->edge[n++].bytes = scaled(c.bytes[c.peer[p]], shift);
            c.bytes[c.peer[p]] = 0;
        }
        coarse->row[i + 1] = n;
    }
    sort_rows(coarse);
    *out = coarse;
out:
    free(c.first);
    free(c.member);
    free(c.bytes);
    free(c.peer);
    return error;
}

void coarse_graph_destroy(struct coarse_graph *graph)
{
    if (!graph)
        return;
    free(graph->row);
    free(graph->edge);
    free(graph);
}
