/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_settle.h - places for the tasks that none was found for; inside grid
 */
#ifndef MAPCORE_GRID_SETTLE_H
#define MAPCORE_GRID_SETTLE_H

#include "grid/grid.h"

/* Gives tasks without done[], and those whose place another one has, a place
 * that is free; *settled is false where they are too many. Errors: ENOMEM. */
int grid_settle(bool *settled,
                struct mapcore_grid *grid,
                bool *done,
                struct mapcore_error *err);

#endif
