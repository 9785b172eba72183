/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_parts.h - the ways to a grid that grid_find.c tries, and what they
 * share; inside grid */
#ifndef MAPCORE_GRID_PARTS_H
#define MAPCORE_GRID_PARTS_H

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

/* A grid from the structure of the graph alone; not measured. *out may be NULL:
 * there is none. Errors: ENOMEM. */
int grid_from_structure(struct mapcore_grid **out,
                        const struct mapcore_graph *graph,
                        struct mapcore_error *err);

/* A grid grown from one task, also where edges of at least least bytes are
 * missing or too many; not measured. *out may be NULL: there is none. Errors:
 * ENOMEM. */
int grid_from_growth(struct mapcore_grid **out,
                     const struct mapcore_graph *graph,
                     uint64_t least,
                     struct mapcore_error *err);

/* Gives tasks without done[], and those whose place another one has, a place
 * that is free; *settled is false where they are too many. Errors: ENOMEM. */
int grid_settle(bool *settled,
                struct mapcore_grid *grid,
                bool *done,
                struct mapcore_error *err);

#endif
