/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_find.h - the Cartesian grid of a task graph, found */
#ifndef MAPCORE_GRID_FIND_H
#define MAPCORE_GRID_FIND_H

#include "grid/grid.h"

/* Finds the grid. What counts as explained: edges of a displacement that at
 * least half of the places have where it stays inside the box (or, for steps of
 * 2^k in one dimension, half of the points of the sub-grid of that stride:
 * multigrid); edges along one dimension that at least half of all (4 or more)
 * parallel lines have between the same coordinates (products with trees and
 * the like); and edges in groups. Looks first for strides in the ranks, then
 * grows a grid task by task by the structure alone, so that the numbering does
 * not matter.
 * Errors: ENOENT (less than half of the bytes explained: err says what came
 * nearest), ENOMEM. Time: about O(E ndims) by rank, O(sum of squares of
 * degrees) else, in which case graphs with dense rows are looked at by weight
 * class only. */
MAPCORE_API int mapcore_grid_find(struct mapcore_grid **out,
                                  const struct mapcore_graph *graph,
                                  struct mapcore_error *err);
/* The first part of that alone: strides in the ranks. */
MAPCORE_API int mapcore_grid_find_by_rank(struct mapcore_grid **out,
                                          const struct mapcore_graph *graph,
                                          struct mapcore_error *err);
/* Whether it explains enough to end the search for a better one. */
MAPCORE_API bool mapcore_grid_is_whole(const struct mapcore_grid *grid);

#endif
