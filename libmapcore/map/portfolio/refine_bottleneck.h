/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_bottleneck.h - the last part of a search for less than the least
 * average */
#ifndef MAPCORE_MAP_REFINE_BOTTLENECK_H
#define MAPCORE_MAP_REFINE_BOTTLENECK_H

#include "map/portfolio/search.h"

/* For the least time of the slowest link, or, by the rule of Pareto, for the
 * least maximum of hop-bytes within alpha of the average: turns of CHAINS runs
 * of map/refine/bottleneck.h from result number from on, until time or work is
 * up or nothing is gained any more. first: which random numbers, 0 or any that
 * no other call of the search comes to. Errors: ENOMEM. */
int refine_bottleneck(struct search *search,
                      size_t from,
                      uint32_t first,
                      struct mapcore_error *err);

#endif
