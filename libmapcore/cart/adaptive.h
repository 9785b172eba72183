/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adaptive.h - Adaptive Layout: a lattice over an allocation that is no box */
#ifndef MAPCORE_CART_ADAPTIVE_H
#define MAPCORE_CART_ADAPTIVE_H

#include "base/error.h"

#include <stdbool.h>

/* Sub-blocks of a block, along y. */
#define MAPCORE_ADAPTIVE_PARTS 4

/* A 4-D lattice (x, y, z, t) and the routers of an allocation in a torus or
 * mesh. */
struct mapcore_adaptive_problem {
    uint32_t lattice[4]; /* sites along x, y, z, t */
    bool periodic[4];    /* neighbours also round the end */
    uint32_t ring[3];    /* routers of a whole ring of the torus; 0: no ring */
    /* Nodes, or single tasks: where each is, and how many tasks it has (NULL:
     * one). Tasks count through the nodes. */
    uint32_t nnodes;
    const uint32_t (*at)[3]; /* [nnodes], below a ring's length */
    const uint32_t *tasks;   /* [nnodes], 0: none, as of a service node */
    /* Hops between owners of sub-blocks that touch, which rebalancing keeps to
     * unless there were more before it: then it adds none to the longest.
     * 0: no bound. */
    uint32_t most_hops;
};

struct mapcore_adaptive {
    uint32_t ntasks;
    uint32_t blocks[4]; /* S_x, S_y, S_z of the smallest box around the routers,
                           and S_t, most tasks at a router */
    /* Sub-block p of the block at (x, y, z, t) has the number
     * (x + S_x (y + S_y (z + S_z t))) * MAPCORE_ADAPTIVE_PARTS + p. */
    uint32_t nparts;
    uint32_t *owner;    /* [nparts], owned: the task that owns it */
    double imbalance;   /* most sites of a task over the mean */
    uint32_t longest;   /* hops between owners of sub-blocks that touch */
    double mean_path;   /* the same on average */
    uint32_t unclaimed; /* blocks where no task is */
    uint32_t moved;     /* sub-blocks that rebalancing gave to another task */
};

/* Adaptive Layout of Fiedler and Whalen (CUG 2013, section II.C): the lattice
 * is cut into S_x S_y S_z S_t blocks whose extents differ by one at most, as if
 * tasks filled the box; a block where a task is belongs to it; the others are
 * cut into four along y, and dealt to the nearest tasks in +x, -x, +z and -z;
 * then the tasks with most sites give sub-blocks to lighter ones close by.
 * Ours: where a router has some tasks but not S_t, its own take the rest; where
 * a direction has no task the others take its share, and where none has, the
 * nearest task does. On one thread (the paper's is parallel). out is ended by
 * mapcore_adaptive_clear. Errors: EINVAL (a lattice with fewer sites than
 * blocks along a dimension, no task), ERANGE, ENOMEM. */
MAPCORE_API int mapcore_adaptive_layout(
    struct mapcore_adaptive *out,
    const struct mapcore_adaptive_problem *problem,
    struct mapcore_error *err);
MAPCORE_API void mapcore_adaptive_clear(struct mapcore_adaptive *layout);

/* First site and the one behind the last along each dimension of n sub-blocks
 * of one block, from a number on; returns how many sites that are. */
MAPCORE_API uint64_t
mapcore_adaptive_sites(uint32_t range[4][2],
                       const struct mapcore_adaptive *layout,
                       const struct mapcore_adaptive_problem *problem,
                       uint32_t part,
                       uint32_t n);
/* The sub-block behind one (way 1) or before it (-1) along dimension i, or
 * MAPCORE_NONE. */
MAPCORE_API uint32_t
mapcore_adaptive_next(const struct mapcore_adaptive *layout,
                      const struct mapcore_adaptive_problem *problem,
                      uint32_t part,
                      int i,
                      int way);

#endif
