/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_small.h - small problems refined as wholes, again and again */
#ifndef MAPCORE_MAP_REFINE_SMALL_H
#define MAPCORE_MAP_REFINE_SMALL_H

#include "map/portfolio/search.h"
#include "map/refine/refine.h"

/* Rounds of CHAINS refinements of result number start, side by side, each round
 * twice as long as the one before, until all of two rounds running end with the
 * same hop-bytes, or two rounds running have found nothing better, or they have
 * become very long. Errors: ENOMEM. */
int refine_small(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err);

#endif
