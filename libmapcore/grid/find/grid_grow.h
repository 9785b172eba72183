/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_grow.h - grids grown task by task; inside grid
 */
#ifndef MAPCORE_GRID_GROW_H
#define MAPCORE_GRID_GROW_H

#include "graph/csr.h"
#include "grid/grid.h"

/* A grid grown from one task, also where edges of at least least bytes are
 * missing or too many; not measured. *out may be NULL: there is none. Errors:
 * ENOMEM. */
int grid_from_growth(struct mapcore_grid **out,
                     const struct mapcore_graph *graph,
                     uint64_t least,
                     struct mapcore_error *err);

#endif
