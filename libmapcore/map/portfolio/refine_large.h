/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_large.h - large problems refined once, on all threads */
#ifndef MAPCORE_MAP_REFINE_LARGE_H
#define MAPCORE_MAP_REFINE_LARGE_H

#include "map/portfolio/search.h"
#include "map/refine/refine.h"

/* Refines result number start, or one with better clusters, in as many epochs
 * as the schedule says, or else as time or work allow. A grid laid out as one
 * only ends with a greedy descent. Errors: ENOMEM. */
int refine_large(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err);

#endif
