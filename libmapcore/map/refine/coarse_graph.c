/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* coarse_graph.c - the task graph, or a contraction of it, in a form that
 * inner loops run through fast */
#include "config.h"

#include "map/refine/anneal.h"

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

/* A contraction under way: what the members of one cluster send to each other
 * cluster. */
struct contraction {
    const struct mapcore_graph *graph;
    uint32_t n;
    uint32_t *cluster; /* [graph->ntasks] */
    uint32_t *first;   /* [n + 1] into member */
    uint32_t *member;  /* [graph->ntasks] */
    uint64_t *bytes;   /* [n], 0 but for the cluster at hand */
    uint32_t *peer;    /* [n] */
};

/* Collects the peers of cluster i and returns how many there are; their bytes
 * are in c->bytes and must be zeroed by the caller. */
static uint32_t collect(struct contraction *c, uint32_t i)
{
    const struct mapcore_graph *graph = c->graph;
    uint32_t npeers = 0;

    for (size_t m = c->first[i]; m < c->first[i + 1]; m++) {
        uint32_t t = c->member[m];

        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t peer = c->cluster[graph->task[k]];

            if (peer == i)
                continue;
            if (c->bytes[peer] == 0)
                c->peer[npeers++] = peer;
            c->bytes[peer] += graph->bytes[k];
        }
    }
    return npeers;
}

/* Counts the edges of the clusters; *shift: what brings them into bounds. Sums
 * are below 2^63, as that of all bytes is. */
static size_t survey(unsigned *shift, struct contraction *c)
{
    uint64_t edge = 0, row = 0;
    size_t nedges = 0;

    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t npeers = collect(c, i);
        uint64_t sum = 0;

        nedges += npeers;
        for (uint32_t p = 0; p < npeers; p++) {
            uint64_t *bytes = &c->bytes[c->peer[p]];

            edge = *bytes > edge ? *bytes : edge;
            sum += *bytes;
            *bytes = 0;
        }
        row = sum > row ? sum : row;
    }
    *shift = 0;
    while (edge >> *shift >> EDGE_BITS > 0 ||
           row >> *shift >> EDGE_BITS >> MORE_BITS > 0)
        ++*shift;
    /* Rounding up must not reach the limit. */
    *shift += *shift > 0;
    return nedges;
}

static struct coarse_graph *fill(struct contraction *c, struct arena *arena)
{
    struct coarse_graph *out = arena_alloc(arena, 1, sizeof(*out));
    unsigned shift;
    size_t n = survey(&shift, c);

    if (!out)
        return NULL;
    out->n = c->n;
    out->row = arena_alloc(arena, (size_t)c->n + 1, sizeof(*out->row));
    out->edge = arena_alloc(arena, n, sizeof(*out->edge));
    if (arena->error)
        return NULL;
    n = 0;
    for (uint32_t i = 0; i < c->n; i++) {
        uint32_t npeers = collect(c, i);

        for (uint32_t p = 0; p < npeers; p++) {
            out->edge[n].to = c->peer[p];
            out->edge[n++].bytes =
                (int32_t)((c->bytes[c->peer[p]] + ((uint64_t)1 << shift) - 1) >>
                          shift);
            c->bytes[c->peer[p]] = 0;
        }
        out->row[i + 1] = n;
    }
    sort_rows(out);
    return out;
}

struct coarse_graph *coarse_graph_make(const struct mapcore_graph *graph,
                                       const uint32_t *cluster,
                                       uint32_t n,
                                       struct arena *arena)
{
    struct arena own = {.err = arena->err};
    struct contraction c = {
        .graph = graph,
        .n = n,
        .cluster = arena_alloc(&own, graph->ntasks, sizeof(*c.cluster)),
        .first = arena_alloc(&own, (size_t)n + 1, sizeof(*c.first)),
        .member = arena_alloc(&own, graph->ntasks, sizeof(*c.member)),
        .bytes = arena_alloc(&own, n, sizeof(*c.bytes)),
        .peer = arena_alloc(&own, n, sizeof(*c.peer)),
    };
    struct coarse_graph *coarse = NULL;

    for (uint32_t t = 0; !own.error && t < graph->ntasks; t++)
        c.cluster[t] = cluster ? cluster[t] : t;
    if (!own.error) {
        bucket_items(c.first, c.member, c.cluster, graph->ntasks, n);
        coarse = fill(&c, arena);
    }
    arena->error = coarse ? arena->error : MAPCORE_ENOMEM;
    arena_clear(&own);
    return coarse;
}
