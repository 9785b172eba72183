/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* anneal.h - random moves and swaps of vertices, uphill with the probability
 * that a temperature allows */
#ifndef MAPCORE_MAP_ANNEAL_H
#define MAPCORE_MAP_ANNEAL_H

#include "base/rng.h"
#include "map/refine/cost_table.h"
#include "map/refine/region.h"

/* A table of -ln u over the middles of this many equal parts of 0 .. 1. */
#define ANNEAL_DRAWS 4096

struct anneal {
    double draw[ANNEAL_DRAWS];
};

/* Fills the table; by additions, multiplications and divisions alone, so the
 * same everywhere. */
void anneal_init(struct anneal *anneal);

/* e^x for x in -64 .. 64, likewise. */
double anneal_exp(double x);
/* ln x for x > 0, likewise. */
double anneal_log(double x);

/* Proposes so many changes and makes those that add no more hop-bytes than
 * temperature (which goes evenly from heat[0] to heat[1], 2^58 at most) times
 * an exponential random number: the rule of Metropolis (1953), which
 * Kirkpatrick, Gelatt and Vecchi (1983) anneal with. A change takes a random
 * vertex to the host of one of its neighbours, heavy edges first, or to one of
 * the nearest hosts of that one, and the occupant of the place there, if any,
 * to where it came from. Only hop-bytes between the region and what it sees of
 * the others count. Returns what was added (negative: gained). Temperature 0
 * never adds. table: of the region, or NULL; it is filled, and kept true, while
 * few changes are made, which are the same with it and without. O(degree) a
 * proposal; with a table O(1), and O(degree * hosts) a change that is made. */
int64_t anneal_run(struct region *region,
                   struct cost_table *table,
                   const struct anneal *anneal,
                   const double heat[2],
                   uint64_t proposals,
                   struct rng *rng);

/* The mean of |added hop-bytes| over so many proposals; 0 when there is no
 * change to propose. */
double anneal_spread(const struct region *region,
                     uint32_t proposals,
                     struct rng *rng);

#endif
