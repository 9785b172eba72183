/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_thresholds.h - the shares that more than one finder goes by, and where
 * each comes from; those of one file stand there. "Tests" are the grids of
 * tests/unit/test_grid.c: up to 3% of the edges missing, up to 3% of foreign
 * ones, ranks in order or permuted; inside grid */
#ifndef MAPCORE_GRID_THRESHOLDS_H
#define MAPCORE_GRID_THRESHOLDS_H

#include <stdint.h>

/* Of the bytes; below it is no grid: more is not explained than is. */
#define GRID_LEAST_SHARE 0.5
/* Of the bytes; above, no better grid is searched for. What the tests' missing
 * and foreign edges leave, and a little; chosen, not derived. */
#define GRID_ENOUGH_SHARE 0.95
/* A displacement, and a pair of coordinates in a product, count as the grid's
 * own when at least this share of the places for them have it: most do. */
#define GRID_REGULAR_SHARE 0.5
/* A dimension is a group, all with all, when it has more of the possible pairs
 * than this: more than a ring of four, the densest line (two thirds). */
#define GRID_GROUP_SHARE 0.75
/* Of the tasks; with more than this without a place of their own it is no grid.
 * Measured on the tests with edges missing, where some tasks are cut off and
 * some misplaced. */
#define GRID_LOST_SHARE 0.08
/* Tasks with more than this many times the neighbours that most have are hubs
 * (a master, a writer of output), unless they are more than one in that number:
 * then it is another kind of graph. Chosen, not derived. */
#define GRID_HUB_FACTOR 4
#define GRID_HUB_RARE   100
/* Tasks that a grid described in words may have: numbers of tasks and of
 * places stay below 2^31. */
#define GRID_MOST_TASKS (UINT32_C(1) << 30)

#endif
