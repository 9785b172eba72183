/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_join.h - dimensions that are two digits of one; inside grid
 */
#ifndef MAPCORE_GRID_JOIN_H
#define MAPCORE_GRID_JOIN_H

#include "graph/csr.h"
#include "grid/grid.h"

/* Joins dimensions that are two digits of one: a step of 1 in the higher goes
 * with a step from the last to the first place in the lower. *grid is measured,
 * and replaced. Errors: ENOMEM. */
int grid_join_digits(struct mapcore_grid **grid,
                     const struct mapcore_graph *graph,
                     struct mapcore_error *err);

/* Two dimensions of two places, with as many bytes in each, are a ring of four:
 * the structure alone cannot tell, and fewer dimensions are easier to lay out.
 * *grid is measured, and replaced. Errors: ENOMEM. */
int grid_join_pairs(struct mapcore_grid **grid,
                    const struct mapcore_graph *graph,
                    struct mapcore_error *err);

#endif
