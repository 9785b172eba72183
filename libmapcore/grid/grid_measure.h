/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_measure.h - what the edges tell about a grid with coordinates; inside
 * grid
 */
#ifndef MAPCORE_GRID_MEASURE_H
#define MAPCORE_GRID_MEASURE_H

#include "graph/csr.h"
#include "grid/grid.h"

/* Sets everything that the edges tell: periodic, kind, offset, explained;
 * coordinates and dims are set. Errors: ENOMEM. */
int grid_measure(struct mapcore_grid *grid,
                 const struct mapcore_graph *graph,
                 struct mapcore_error *err);

#endif
