/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_coarsen.h - a graph with half or a quarter as many vertices */
#ifndef MAPCORE_MAP_BISECT_COARSEN_H
#define MAPCORE_MAP_BISECT_COARSEN_H

#include "base/rng.h"
#include "map/bisection/bisect_levels.h"

#include <stdbool.h>

struct bisect_coarsening {
    uint32_t largest; /* tasks in a vertex at most, unless one has more */
    bool keeps;       /* only vertices of one side become one */
    bool by_clusters; /* of about four, not in pairs */
    bool pairs_all;   /* with any other, if need be: of an even number of
                         vertices none is left alone */
};

/* Makes level index + 1 of level index: pairs or clusters of vertices become
 * one. O(E). Errors: ENOMEM. */
int bisect_coarsen(struct bisect_levels *levels,
                   size_t index,
                   const struct bisect_coarsening *how,
                   struct rng *rng,
                   struct mapcore_error *err);

#endif
