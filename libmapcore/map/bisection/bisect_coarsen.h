/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_coarsen.h - the graphs of a multilevel bisection, each with half or a
 * quarter as many vertices as the one before */
#ifndef MAPCORE_MAP_BISECT_COARSEN_H
#define MAPCORE_MAP_BISECT_COARSEN_H

#include "base/rng.h"

#include <stdbool.h>
#include <stddef.h>

struct arena;

/* A graph of one level of coarsening. The weights of all edges, each once, add
 * up to less than 2^31; biases stay below 2^60 added up. */
struct bisect_level {
    uint32_t n;
    size_t *row;      /* [n + 1] */
    uint32_t *vertex; /* [row[n]], every edge in both rows, no loops */
    uint32_t *weight; /* [row[n]] */
    uint32_t *size;   /* [n], tasks in a vertex, > 0 */
    int64_t *bias;    /* [n], cost on side 1 minus cost on side 0 */
    uint8_t *side;    /* [n], 0 or 1: the result */
    uint32_t *coarse; /* [n], vertex of the next level */
    struct bisect_level *finer; /* the one before, or NULL */
};

/* By how many bits the weights of so many edges, of so many bytes in all, must
 * shrink so that their sum stays below 2^31, each rounded up. */
unsigned bisect_weight_shift(uint64_t bytes, uint64_t nedges);

/* The arena's, of n vertices and nedges entries of rows, to be filled by the
 * caller; NULL without memory. */
struct bisect_level *bisect_level_make(uint32_t n,
                                       size_t nedges,
                                       struct arena *arena);

/* The cost of level->side: the weight of the edges between the sides, and the
 * biases of side 1. */
int64_t bisect_level_cost(const struct bisect_level *level);

struct bisect_coarsening {
    uint32_t largest; /* tasks in a vertex at most, unless one has more */
    bool keeps;       /* only vertices of one side become one */
    bool by_clusters; /* of about four, not in pairs */
    bool pairs_all;   /* with any other, if need be: of an even number of
                         vertices none is left alone */
};

/* The next level: pairs or clusters of vertices become one. O(E). NULL without
 * memory. */
struct bisect_level *bisect_coarsen(struct bisect_level *level,
                                    const struct bisect_coarsening *how,
                                    struct rng *rng,
                                    struct arena *arena);

#endif
