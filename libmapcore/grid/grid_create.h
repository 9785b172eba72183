/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_create.h - grids before their edges are counted; inside grid
 */
#ifndef MAPCORE_GRID_CREATE_H
#define MAPCORE_GRID_CREATE_H

#include "grid/grid.h"

/* A grid without dims yet, all its coordinates 0; ended by
 * mapcore_grid_destroy. Errors: ENOMEM. */
int grid_alloc(struct mapcore_grid **out,
               uint32_t ntasks,
               uint32_t ndims,
               struct mapcore_error *err);

#endif
