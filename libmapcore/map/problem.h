/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* problem.h - what all mappers of a search are given */
#ifndef MAPCORE_MAP_PROBLEM_H
#define MAPCORE_MAP_PROBLEM_H

#include "alloc/alloc.h"
#include "graph/graph.h"
#include "map/deadline.h"
#include "topo/shape.h"

/* From so many tasks on, the work of one mapper is worth all threads: rb halves
 * several parts at once, and the portfolio runs its first mappers one by one.
 * Part of what a seed means. */
#define MAP_LARGE 65536

/* Everything is borrowed, and shared by all threads. The tasks are no more
 * than the slots. */
struct map_problem {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    struct order_cache
        *orders;              /* task lists of GreedyMap; NULL: none is kept */
    const uint32_t *baseline; /* [ntasks] hosts without topomap; NULL: block */
    const uint32_t *pin;      /* [ntasks] the host that a task must be on, or
                                 MAPCORE_NONE; NULL: none must. A mapper need not
                                 look at it: what it gives is settled
                                 (map/constrain/pins.h); refinement does */
    struct map_deadline deadline;
};

/* Of the router of a host of an allocation of a torus. */
static inline uint32_t map_coordinate(const struct mapcore_alloc *alloc,
                                      const struct topo_shape *shape,
                                      uint32_t host,
                                      uint32_t dim)
{
    return shape
        ->coordinates[(size_t)mapcore_alloc_host(alloc, host) * shape->ndims +
                      dim];
}

#endif
