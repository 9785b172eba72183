/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_grid.c - a grid laid out over the levels of a machine: no MPI call in it
 */
#include "config.h"

#include "libtopomap-cart/cart_grid.h"

#include "cart/dims.h"

#include <stdlib.h>

/* The first nlevels - 1 levels as they are, and all others as one. */
static void merge_levels(uint32_t *counts,
                         const struct levels *levels,
                         uint32_t nlevels)
{
    for (uint32_t l = 0; l < levels->nlevels; l++)
        if (l < nlevels)
            counts[l] = levels->counts[l];
        else
            counts[nlevels - 1] *= levels->counts[l];
}

int grid_lay_out(int *dims,
                 uint32_t *cell,
                 const struct levels *levels,
                 int ndims,
                 const double *weights)
{
    uint32_t fixed[MAPCORE_DIMS_MAX], counts[LEVELS_MOST];
    uint32_t factors[LEVELS_MOST * MAPCORE_DIMS_MAX];
    double pair[MAPCORE_DIMS_MAX];
    bool all_given = true;
    struct mapcore_dims problem = {.counts = counts,
                                   .ndims = (uint32_t)ndims,
                                   .width = weights,
                                   .fixed = fixed};

    if (ndims < 1 || ndims > MAPCORE_DIMS_MAX)
        return MPI_ERR_ARG;
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 0)
            return MPI_ERR_DIMS;
        if (weights && !(weights[i] > 0))
            return MPI_ERR_ARG;
        fixed[i] = (uint32_t)dims[i];
        all_given = all_given && dims[i] > 0;
        pair[i] = dims[i] > 0 ? 1.0 / dims[i] : 1;
    }
    if (!weights && all_given)
        problem.width = pair;
    problem.nlevels = levels->nlevels;
    for (;; problem.nlevels--) {
        if (problem.nlevels == 0)
            return MPI_ERR_DIMS;
        merge_levels(counts, levels, problem.nlevels);
        if (mapcore_dims_solve(factors, NULL, &problem, NULL) == 0)
            break;
    }
    for (int i = 0; i < ndims; i++) {
        uint32_t total = 1;

        for (uint32_t l = 0; l < problem.nlevels; l++)
            total *= factors[l * problem.ndims + (uint32_t)i];
        dims[i] = (int)total;
    }
    for (uint32_t r = 0; cell && r < levels->ntasks; r++)
        cell[r] = mapcore_dims_renumber(levels->position[r], problem.nlevels,
                                        counts, problem.ndims, factors);
    return MPI_SUCCESS;
}

int grid_cut(double *out,
             const uint32_t *where,
             const uint32_t *cell,
             uint32_t ntasks,
             int ndims,
             const int *dims,
             const int *periods,
             const double *weights)
{
    uint32_t *place = malloc(ntasks * sizeof(*place)), stride = 1;
    double cut = 0;

    if (!place)
        return MPI_ERR_NO_MEM;
    for (uint32_t r = 0; r < ntasks; r++)
        place[cell ? cell[r] : r] = where[r];
    for (int i = ndims - 1; i >= 0; i--) {
        uint32_t extent = (uint32_t)dims[i], crossed = 0;

        for (uint32_t c = 0; c < ntasks; c++) {
            uint32_t x = c / stride % extent, next = c + stride;

            if (x + 1 == extent) {
                /* Round the end, unless that is the neighbour anyway. */
                if (!periods[i] || extent < 3)
                    continue;
                next = c - x * stride;
            }
            crossed += place[c] != place[next];
        }
        /* A cut across the grid has ntasks / extent pairs. */
        cut += (weights ? weights[i] * extent : 1) * crossed;
        stride *= extent;
    }
    free(place);
    *out = cut;
    return MPI_SUCCESS;
}
