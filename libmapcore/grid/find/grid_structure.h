/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_structure.h - grids found in the structure of a graph, not its
 * numbering; inside grid */
#ifndef MAPCORE_GRID_STRUCTURE_H
#define MAPCORE_GRID_STRUCTURE_H

#include "grid/grid.h"

/* A grid from the structure of the graph alone; not measured. *out may be NULL:
 * there is none. Errors: ENOMEM. */
int grid_from_structure(struct mapcore_grid **out,
                        const struct mapcore_graph *graph,
                        struct mapcore_error *err);

#endif
