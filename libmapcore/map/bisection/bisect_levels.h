/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_levels.h - the graphs of a multilevel bisection: what is coarsened,
 * cut and refined */
#ifndef MAPCORE_MAP_BISECT_LEVELS_H
#define MAPCORE_MAP_BISECT_LEVELS_H

#include "base/error.h"

#include <stddef.h>
#include <stdint.h>

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
    size_t row_capacity, vertex_capacity, weight_capacity, size_capacity,
        bias_capacity, side_capacity, coarse_capacity;
};

/* The levels, finest first; kept from one bisection to the next. */
struct bisect_levels {
    struct bisect_level *level; /* [capacity], of which n are made */
    size_t n, capacity;
    uint32_t *mark; /* [mark_capacity], scratch of coarsening */
    size_t mark_capacity;
};

/* By how many bits the weights of so many edges, of so many bytes in all, must
 * shrink so that their sum stays below 2^31, each rounded up. */
unsigned bisect_weight_shift(uint64_t bytes, uint64_t nedges);

void bisect_levels_clear(struct bisect_levels *levels);

/* Room in level[index] for n vertices and nedges entries of rows, to be filled
 * by the caller. Errors: ENOMEM. */
int bisect_levels_reserve(struct bisect_levels *levels,
                          size_t index,
                          uint32_t n,
                          size_t nedges,
                          struct mapcore_error *err);

/* The cost of level->side: the weight of the edges between the sides, and the
 * biases of side 1. */
int64_t bisect_level_cost(const struct bisect_level *level);

#endif
