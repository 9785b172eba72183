/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_coarsen.h - a graph with about half as many vertices */
#ifndef MAPCORE_MAP_BISECT_COARSEN_H
#define MAPCORE_MAP_BISECT_COARSEN_H

#include "base/rng.h"
#include "map/bisection/bisect_levels.h"

#include <stdbool.h>

/* Makes level index + 1 of level index: pairs of vertices become one, no
 * larger than largest, within a side where keeps. O(E). Errors: ENOMEM. */
int bisect_coarsen(struct bisect_levels *levels,
                   size_t index,
                   uint32_t largest,
                   bool keeps,
                   struct rng *rng,
                   struct mapcore_error *err);

#endif
