/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lower_bound.h - hop-bytes that no mapping can go below: where a search has
 * come down to them, it is through */
#ifndef MAPCORE_MAP_LOWER_BOUND_H
#define MAPCORE_MAP_LOWER_BOUND_H

#include "map/problem.h"

/* *out: no mapping has less average hop-bytes. For each task its bytes,
 * heaviest first, go to slots, nearest first, of the host that is best for it:
 * what Gilmore (1962) and Lawler (1963) enter into their assignment problem,
 * without solving that, so weaker. Computed from a whole number as metrics are,
 * so that a mapping that reaches it has the same average to the last bit. Met
 * by what is embedded without stretching an edge, one or two tasks a host; with
 * more it is most often lower than what can be had. O(hosts * (edges +
 * slots log slots)): for few tasks. Errors: ENOMEM. */
int lower_bound_average(double *out,
                        const struct map_problem *problem,
                        struct mapcore_error *err);

#endif
