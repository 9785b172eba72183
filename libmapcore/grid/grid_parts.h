/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_parts.h - between the files that find a grid; inside grid */
#ifndef MAPCORE_GRID_PARTS_H
#define MAPCORE_GRID_PARTS_H

#include "graph/csr.h"
#include "grid/grid.h"

/* A grid with room for coordinates, which are all 0. Errors: ENOMEM. */
int grid_alloc(struct mapcore_grid **out,
               uint32_t ntasks,
               uint32_t ndims,
               struct mapcore_error *err);

/* Sets everything that the edges tell: periodic, kind, offset, explained;
 * coordinates and dims are set. Errors: ENOMEM. */
int grid_measure(struct mapcore_grid *grid,
                 const struct mapcore_graph *graph,
                 struct mapcore_error *err);

/* Joins dimensions that are two digits of one: a step of 1 in the higher goes
 * with a step from the last to the first place in the lower. *grid is measured,
 * and replaced. Errors: ENOMEM. */
int grid_join_digits(struct mapcore_grid **grid,
                     const struct mapcore_graph *graph,
                     struct mapcore_error *err);

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

/* A grid from the parallel edges among those of at least least bytes; not
 * measured. is_factor[MAPCORE_GRID_MAX_DIMS]: the places in a dimension are in
 * no order that means anything: it is some other graph that repeats. *out may
 * be NULL: there is none. Errors: ENOMEM. */
int grid_from_layers(struct mapcore_grid **out,
                     bool *is_factor,
                     const struct mapcore_graph *graph,
                     uint64_t least,
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

/* The neighbours that make a task one that talks with everybody, beside the
 * grid: far more than others have, and few have so many. */
size_t grid_hub_degree(const struct mapcore_graph *graph);

/* The same from the structure of the graph alone. near: weights that are near
 * each other count as equal; *out is NULL also where that makes no difference.
 */
int grid_from_product(struct mapcore_grid **out,
                      const struct mapcore_graph *graph,
                      bool near,
                      uint64_t *least,
                      struct mapcore_error *err);

#endif
