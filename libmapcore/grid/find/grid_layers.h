/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_layers.h - grids from classes of parallel edges; inside grid
 */
#ifndef MAPCORE_GRID_LAYERS_H
#define MAPCORE_GRID_LAYERS_H

#include "graph/csr.h"
#include "grid/grid.h"

/* A grid from the parallel edges among those of at least least bytes; not
 * measured. is_factor[MAPCORE_GRID_MAX_DIMS]: the places in a dimension are in
 * no order that means anything: it is some other graph that repeats. *out may
 * be NULL: there is none. Errors: ENOMEM. */
int grid_from_layers(struct mapcore_grid **out,
                     bool *is_factor,
                     const struct mapcore_graph *graph,
                     uint64_t least,
                     struct mapcore_error *err);

#endif
