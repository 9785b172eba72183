/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_hubs.h - tasks that talk with everybody; inside grid
 */
#ifndef MAPCORE_GRID_HUBS_H
#define MAPCORE_GRID_HUBS_H

#include "graph/csr.h"

#include <stddef.h>

/* The neighbours that make a task one that talks with everybody, beside the
 * grid: far more than others have, and few have so many. */
size_t grid_hub_degree(const struct mapcore_graph *graph);

#endif
