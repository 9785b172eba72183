/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_small.h - small problems refined as wholes, again and again */
#ifndef MAPCORE_MAP_REFINE_SMALL_H
#define MAPCORE_MAP_REFINE_SMALL_H

#include "map/portfolio/search.h"
#include "map/refine/refine.h"

/* Rounds of CHAINS refinements of result number start, side by side, each round
 * twice as long as the one before, until all of two rounds running end with the
 * same hop-bytes, or three (of more tasks chosen by time, one) have found
 * nothing better, or they have become very long. Very few tasks begin with
 * short rounds and, chosen by hop-bytes, end with warm ones from the best; they
 * have none where no mapping has less hop-bytes (lower_bound.h). Errors:
 * ENOMEM. */
int refine_small(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err);

#endif
