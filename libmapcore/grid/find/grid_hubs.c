/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_hubs.c - tasks that talk with everybody, beside the grid */
#include "config.h"

#include "grid/find/grid_hubs.h"

#include "grid/grid.h"
#include "grid/grid_thresholds.h"

size_t grid_hub_degree(const struct mapcore_graph *graph)
{
    enum { COUNTED = 4096 };
    uint32_t count[COUNTED] = {0}, n = graph->ntasks, below = 0, hubs = 0;
    size_t median = 0, least;

    for (uint32_t t = 0; t < n; t++) {
        size_t degree = graph->row[t + 1] - graph->row[t];

        count[degree < COUNTED ? degree : COUNTED - 1]++;
    }
    while (median < COUNTED - 1 && (below += count[median]) <= n / 2)
        median++;
    least = GRID_HUB_FACTOR * median + 2 * MAPCORE_GRID_MAX_DIMS;
    for (uint32_t t = 0; t < n; t++)
        hubs += graph->row[t + 1] - graph->row[t] >= least;
    return median < COUNTED - 1 && hubs <= n / GRID_HUB_RARE ? least : SIZE_MAX;
}
