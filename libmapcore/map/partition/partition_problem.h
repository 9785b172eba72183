/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partition_problem.h - what is to be cut into parts, and until when */
#ifndef MAPCORE_MAP_PARTITION_PROBLEM_H
#define MAPCORE_MAP_PARTITION_PROBLEM_H

#include "graph/graph.h"
#include "map/deadline.h"

/* All is borrowed. */
struct partition_problem {
    const struct mapcore_graph *graph;
    uint32_t nparts;      /* >= 1 */
    const uint32_t *size; /* [nparts], tasks of each part; > 0 but for
                             rebalance_parts */
    const uint32_t *load; /* [ntasks], what tasks compute; NULL: all alike */
    uint32_t seed;
    const struct map_deadline *deadline;
};

#endif
