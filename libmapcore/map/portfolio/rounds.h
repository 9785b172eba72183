/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rounds.h - what is made of the results of the list, by the engines of
 * map/refine: each goes on until time or work is up or nothing is gained any
 * more. Errors: ENOMEM, all of them. */
#ifndef MAPCORE_MAP_ROUNDS_H
#define MAPCORE_MAP_ROUNDS_H

#include "map/portfolio/search.h"
#include "map/refine/refine.h"

/* Rounds of CHAINS refinements of result number start, side by side, each round
 * twice as long as the one before, until all of two rounds running end with the
 * same hop-bytes, or three (of more tasks chosen by time, one) have found
 * nothing better, or they have become very long. Very few tasks begin with
 * short rounds and, chosen by hop-bytes, end with warm ones from the best; they
 * have none where no mapping has less hop-bytes (lower_bound.h). */
int refine_small(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err);

/* Refines result number start, or one with better clusters, once, on all
 * threads, in as many epochs as the schedule says, or else as time or work
 * allow. A grid laid out as one only ends with a greedy descent. */
int refine_large(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err);

/* On a torus with holes: rounds of CHAINS chains of map/refine/rotation.h from
 * the least average so far, each from a temperature of its own, and longer from
 * round to round; a round goes on from the best of the one before, and in the
 * end single tasks descend. Ends with time or work, of which it does nothing
 * without a bound, or once half of the rounds, schedule_rotation.idle at least,
 * have gained nothing. Its units are the schedule's tasks. */
int refine_rotation(struct search *search,
                    const struct refine_base *base,
                    struct mapcore_error *err);

/* For the least time of the slowest link, or, by the rule of Pareto, for the
 * least maximum of hop-bytes within alpha of the average: turns of CHAINS runs
 * of map/refine/bottleneck.h from result number from on. first: which random
 * numbers, 0 or any that no other call of the search comes to. */
int refine_bottleneck(struct search *search,
                      size_t from,
                      uint32_t first,
                      struct mapcore_error *err);

/* Iterated local search (Lourenco, Martin and Stuetzle 2003) in the time that
 * is left when links are through: rounds of CHAINS chains that warm the best
 * mapping so far, each to a temperature of its own, and cool it by the loads of
 * links. A round goes on from the best of the one before where that was better,
 * in the slowest link or in what all links weigh. Ends with time or work, or
 * once half of the rounds, schedule_more.idle at least, have gained nothing. */
int refine_more(struct search *search, struct mapcore_error *err);

#endif
