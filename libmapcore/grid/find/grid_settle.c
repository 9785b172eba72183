/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_settle.c - places for the tasks that none was found for, and for those
 * that share one */
#include "config.h"

#include "grid/find/grid_parts.h"

#include "base/array.h"
#include "grid/grid_thresholds.h"

#include <stdlib.h>

int grid_settle(bool *settled,
                struct mapcore_grid *grid,
                bool *done,
                struct mapcore_error *err)
{
    uint32_t n = grid->ndims, lost = 0;
    size_t free_place = 0, places = 1;
    bool *taken;

    for (uint32_t i = 0; i < n; i++)
        places *= grid->dims[i];
    taken = array_alloc(places, sizeof(*taken), err);
    *settled = false;
    if (!taken)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < grid->ntasks; t++) {
        size_t place = 0;

        for (uint32_t i = n; i-- > 0;)
            place =
                place * grid->dims[i] + grid->coordinates[(size_t)t * n + i];
        done[t] = done[t] && !taken[place];
        if (done[t])
            taken[place] = true;
        else
            lost++;
    }
    *settled = lost <= GRID_LOST_SHARE * grid->ntasks;
    for (uint32_t t = 0; t < grid->ntasks && *settled; t++) {
        size_t place;

        if (done[t])
            continue;
        while (taken[free_place])
            free_place++;
        place = free_place++;
        for (uint32_t i = 0; i < n; i++) {
            grid->coordinates[(size_t)t * n + i] =
                (uint32_t)(place % grid->dims[i]);
            place /= grid->dims[i];
        }
    }
    free(taken);
    return 0;
}
