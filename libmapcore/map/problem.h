/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* problem.h - what all mappers of a search are given */
#ifndef MAPCORE_MAP_PROBLEM_H
#define MAPCORE_MAP_PROBLEM_H

#include "alloc/alloc.h"
#include "alloc/distances.h"
#include "graph/graph.h"
#include "map/deadline.h"

/* Everything is borrowed, and shared by all threads. The tasks are no more
 * than the slots. */
struct map_problem {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    struct distances *near; /* true distances */
    struct distances *flat; /* without wrapping; the same as near where nothing
                          wraps */
    struct order_cache
        *orders;              /* task lists of GreedyMap; NULL: none is kept */
    const uint32_t *baseline; /* [ntasks] hosts without topomap; NULL: block */
    struct map_deadline deadline;
};

#endif
