/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* assignment.h - the linear assignment problem: each row a column of its own,
 * at the least sum of costs */
#ifndef MAPCORE_MAP_ASSIGNMENT_H
#define MAPCORE_MAP_ASSIGNMENT_H

#include "base/error.h"
#include "map/problem.h"

#include <stdbool.h>

/* Costs may be between -ASSIGNMENT_MOST and ASSIGNMENT_MOST: sums along a path
 * fit then. */
#define ASSIGNMENT_MOST ((int64_t)1 << 42)

/* Fills column[n] for cost[n * n], row by row. price[n]: prices of columns to
 * begin with, and at the end those that prove the answer: no row has a column
 * at a lower cost minus price than its own. All 0, or those of a similar
 * problem, which makes it faster. n at most 2^16. Jonker and Volgenant (1987),
 * in integers; without their reduction of columns when the prices given are
 * not all 0. O(n^3), most often far less. *timed_out: time was up and column is
 * not complete. Errors: ENOMEM. */
int assignment_solve(uint32_t *column,
                     bool *timed_out,
                     int64_t *price,
                     uint32_t n,
                     const int64_t *cost,
                     const struct map_deadline *deadline,
                     struct mapcore_error *err);

#endif
