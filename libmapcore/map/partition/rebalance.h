/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rebalance.h - parts of nearly the right sizes made exactly so */
#ifndef MAPCORE_MAP_REBALANCE_H
#define MAPCORE_MAP_REBALANCE_H

#include "map/partition/partition_problem.h"

#include <stdbool.h>

/* Moves tasks until part p has size[p] of them, the sizes adding up to all;
 * part[ntasks] is changed in place. From each part that has too many, the
 * nearest part that has too few is found breadth first over parts that share
 * edges, and one task moves over each border on the way: the one whose move
 * costs the fewest bytes (ties: the first in its part's list). So parts stay
 * together. Ours, no paper's: METIS keeps sizes within a tolerance (ubvec) at
 * best, and a host has no slot more than it has. *timed_out: time was up, the
 * sizes are not right yet. Errors: ENOMEM. */
int rebalance_parts(uint32_t *part,
                    bool *timed_out,
                    const struct partition_problem *problem,
                    struct mapcore_error *err);

#endif
