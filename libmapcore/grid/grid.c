/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid.c - the Cartesian grid of a task graph, as an object */
#include "config.h"

#include "grid/grid.h"

#include <stdio.h>
#include <stdlib.h>

void mapcore_grid_destroy(struct mapcore_grid *grid)
{
    if (!grid)
        return;
    free(grid->coordinates);
    free(grid->offset);
    free(grid);
}

int mapcore_grid_describe(const struct mapcore_grid *grid,
                          char *buffer,
                          size_t size)
{
    int n = 0;

    if (size > 0)
        buffer[0] = '\0';
    for (uint32_t i = 0; i < grid->ndims && n >= 0; i++) {
        size_t used = (size_t)n < size ? (size_t)n : size;
        const char *kind = grid->kind[i] == MAPCORE_GRID_GROUP ? "g"
                           : grid->periodic[i]                 ? "p"
                                                               : "";
        int added = snprintf(buffer + used, size - used, "%s%u%s",
                             i > 0 ? "x" : "", grid->dims[i], kind);

        n = added < 0 ? added : n + added;
    }
    return n;
}
