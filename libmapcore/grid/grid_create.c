/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_create.c - grids before their edges are counted, and those of given
 * dimensions */
#include "config.h"

#include "grid/grid_create.h"

#include "base/array.h"
#include "grid/grid_measure.h"

#include <stdlib.h>
#include <string.h>

int grid_alloc(struct mapcore_grid **out,
               uint32_t ntasks,
               uint32_t ndims,
               struct mapcore_error *err)
{
    struct mapcore_grid *grid = array_alloc(1, sizeof(*grid), err);

    if (!grid)
        return MAPCORE_ENOMEM;
    grid->ntasks = ntasks;
    grid->ndims = ndims;
    grid->coordinates =
        array_alloc((size_t)ntasks * ndims, sizeof(*grid->coordinates), err);
    if (!grid->coordinates) {
        free(grid);
        return MAPCORE_ENOMEM;
    }
    *out = grid;
    return 0;
}

int mapcore_grid_of_dims(struct mapcore_grid **out,
                         const struct mapcore_graph *graph,
                         uint32_t ndims,
                         const uint32_t *dims,
                         struct mapcore_error *err)
{
    struct mapcore_grid *grid = NULL;
    uint64_t places = 1;
    int error;

    if (ndims < 1 || ndims > MAPCORE_GRID_MAX_DIMS)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %u dimensions: 1 to %d are possible", ndims,
                         MAPCORE_GRID_MAX_DIMS);
    for (uint32_t i = 0; i < ndims; i++) {
        if (dims[i] < 2 || dims[i] > INT32_MAX)
            return error_set(err, MAPCORE_EINVAL,
                             "dimension %u of a grid is %u", i, dims[i]);
        if (places < graph->ntasks)
            places *= dims[i];
    }
    if (places < graph->ntasks)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %llu places for %u tasks",
                         (unsigned long long)places, graph->ntasks);
    if ((error = grid_alloc(&grid, graph->ntasks, ndims, err)) < 0)
        return error;
    memcpy(grid->dims, dims, ndims * sizeof(*dims));
    grid->by_rank = true;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint32_t rest = t;

        for (uint32_t i = 0; i < ndims; i++) {
            grid->coordinates[(size_t)t * ndims + i] = rest % dims[i];
            rest /= dims[i];
        }
    }
    if ((error = grid_measure(grid, graph, err)) < 0) {
        mapcore_grid_destroy(grid);
        return error;
    }
    *out = grid;
    return 0;
}
