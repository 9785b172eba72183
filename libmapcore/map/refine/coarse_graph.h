/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* coarse_graph.h - what is moved about in a refinement: tasks, or lumps of
 * them, with the bytes between them in 31 bits */
#ifndef MAPCORE_MAP_GRAIN_H
#define MAPCORE_MAP_GRAIN_H

#include "graph/graph.h"

struct grain_edge {
    uint32_t to;
    int32_t bytes; /* > 0, scaled */
};

/* Symmetric, without loops; every row has its heaviest edges first. */
struct grain {
    uint32_t n;
    size_t *row; /* [n + 1] */
    struct grain_edge *edge;
};

/* The tasks of a graph. Bytes are divided by the power of two that brings the
 * heaviest edge below 2^30 and each row below 2^44, and rounded up: with edges
 * that light nothing is lost. O(E log d). Errors: ENOMEM. */
int grain_create(struct grain **out,
                 const struct mapcore_graph *graph,
                 struct mapcore_error *err);
/* Lumps 0 .. nlumps-1 of grains, lump[grain->n]; bytes inside a lump are left
 * out. O(E log d). Errors: ENOMEM. */
int grain_lump(struct grain **out,
               const struct grain *grain,
               const uint32_t *lump,
               uint32_t nlumps,
               struct mapcore_error *err);
void grain_destroy(struct grain *grain);

#endif
