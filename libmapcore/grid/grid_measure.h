/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_measure.h - grids before their edges are counted, and what these tell
 * of one with coordinates; inside grid */
#ifndef MAPCORE_GRID_MEASURE_H
#define MAPCORE_GRID_MEASURE_H

#include "graph/csr.h"
#include "grid/grid.h"

/* A grid without dims yet, all its coordinates 0; ended by
 * mapcore_grid_destroy. Errors: ENOMEM. */
int grid_alloc(struct mapcore_grid **out,
               uint32_t ntasks,
               uint32_t ndims,
               struct mapcore_error *err);

/* Pairs of places of the box that are a step apart, each once, whether or not
 * they have tasks; step: [ndims]. k: on the coarse grid of every 2^k-th place,
 * 0 for all. A step half way round is the same both ways. dims and periodic are
 * set. */
double grid_places(const struct mapcore_grid *grid,
                   const int32_t *step,
                   unsigned k);

/* mapcore_grid_of_dims, where dimensions of one place are no error. */
int grid_by_rank(struct mapcore_grid **out,
                 const struct mapcore_graph *graph,
                 uint32_t ndims,
                 const uint32_t *dims,
                 struct mapcore_error *err);

/* Sets everything that the edges tell: periodic, kind, offset, explained;
 * coordinates and dims are set. Errors: ENOMEM. */
int grid_measure(struct mapcore_grid *grid,
                 const struct mapcore_graph *graph,
                 struct mapcore_error *err);

#endif
