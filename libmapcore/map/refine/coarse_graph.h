/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* coarse_graph.h - the graph that refinement works on: of tasks, or of
 * clusters of them, with edges of 31 bits */
#ifndef MAPCORE_MAP_COARSE_GRAPH_H
#define MAPCORE_MAP_COARSE_GRAPH_H

#include "graph/graph.h"

struct arena;

struct coarse_edge {
    uint32_t to;
    int32_t bytes; /* > 0, scaled */
};

/* Symmetric, without loops; every row has its heaviest edges first. */
struct coarse_graph {
    uint32_t n;
    size_t *row; /* [n + 1] */
    struct coarse_edge *edge;
};

/* The quotient graph of clusters 0 .. n-1 of tasks, cluster[ntasks], or of the
 * ntasks tasks themselves where that is NULL; bytes inside a cluster are left
 * out. Bytes are divided by the power of two that brings the heaviest edge
 * below 2^30 and each row below 2^44, and rounded up: with edges that light
 * nothing is lost. O(E log d). The arena's, or NULL without memory. */
struct coarse_graph *coarse_graph_make(const struct mapcore_graph *graph,
                                       const uint32_t *cluster,
                                       uint32_t n,
                                       struct arena *arena);

#endif
