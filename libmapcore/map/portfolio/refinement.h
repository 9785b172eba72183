/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refinement.h - the second half of a search: the best of its list refined */
#ifndef MAPCORE_MAP_IMPROVE_H
#define MAPCORE_MAP_IMPROVE_H

#include "map/portfolio/portfolio.h"
#include "map/refine/refine.h"

/* Refines the result with the least average hop-bytes and settles what comes
 * out. Large problems: once, on all threads, in as many epochs as the plan
 * says, or else as time or work allow. Small ones: rounds of CHAINS
 * refinements, side by side, each round twice as long as the one before, until
 * all of two rounds running end with the same hop-bytes, or two rounds running
 * have found nothing better, or they have become very long. Errors: ENOMEM. */
int improve_run(struct search *search, struct mapcore_error *err);

/* Ends a refinement: changes that gain, until few are left. */
int improve_quench(struct refine *refine,
                   unsigned threads,
                   struct mapcore_error *err);

/* The last part of a search for the least time of the slowest link, or, by the
 * rule of Pareto, for the least maximum of hop-bytes within alpha of the
 * average: turns of relief (relief.h) from the best result on, until time or
 * work is up or nothing is gained any more. Errors: ENOMEM. */
int improve_relief(struct search *search, struct mapcore_error *err);

/* The rounds of a small problem from a result of the list on. Errors: ENOMEM.
 */
int improve_small(struct search *search,
                  const struct refine_base *base,
                  size_t start,
                  struct mapcore_error *err);

#endif
