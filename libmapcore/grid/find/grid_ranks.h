/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_ranks.h - grids that are strides in the ranks; inside grid
 */
#ifndef MAPCORE_GRID_RANKS_H
#define MAPCORE_GRID_RANKS_H

#include "graph/csr.h"
#include "grid/grid.h"

/* What an edge costs in a dimension that it moves in, before the logarithm of
 * how far. FEW_MOVES is more than what splitting a group in two would save
 * (half of the edges move in the new dimension, and all others save one bit at
 * most), SHORT_MOVES less than what splitting a box with diagonals in two
 * costs. */
#define GRID_FEW_MOVES   3.0
#define GRID_SHORT_MOVES 0.5

/* The grid of strides in the ranks that costs least; not measured. *out may be
 * NULL: there is none. Errors: ENOMEM. */
int grid_from_ranks(struct mapcore_grid **out,
                    const struct mapcore_graph *graph,
                    double move_cost,
                    struct mapcore_error *err);

#endif
