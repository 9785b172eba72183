/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_grid.c - a grid laid out over the levels of a machine: no MPI call in it
 */
#include "config.h"

#include "libtopomap-cart/cart_grid.h"

#include "cart/dims.h"

#include <stdlib.h>
#include <string.h>

/* The levels that are factored, and their factors. */
struct grid_factors {
    uint32_t nlevels, counts[LEVELS_MOST];
    uint32_t dims[LEVELS_MOST * MAPCORE_DIMS_MAX];
};

/* Whether the outermost level is switches of several nodes each. */
static bool has_switches(const struct levels *levels)
{
    return levels->nlevels > 1 && levels->kind[0] == LEVELS_SWITCH &&
           levels->kind[1] == LEVELS_NODE;
}

/* Switches and nodes as one level, then the others, the last of nlevels being
 * all that are left. */
static void merge_levels(uint32_t *counts,
                         const struct levels *levels,
                         uint32_t nlevels)
{
    uint32_t skipped = has_switches(levels) ? 1 : 0;

    for (uint32_t l = 0; l < nlevels; l++)
        counts[l] = 1;
    for (uint32_t l = 0; l < levels->nlevels; l++) {
        uint32_t at = l < skipped ? 0 : l - skipped;

        counts[at < nlevels ? at : nlevels - 1] *= levels->counts[l];
    }
}

/* Parts the factors of all nodes, which are the outermost level, into those of
 * switches and of the nodes of one; leaves them as they are where switches do
 * not fit. */
static void split_nodes(struct grid_factors *factors,
                        const struct mapcore_dims *problem,
                        const struct levels *levels)
{
    uint32_t found[2 * MAPCORE_DIMS_MAX], n = problem->ndims;
    struct mapcore_dims nodes = *problem;

    nodes.nlevels = 2;
    nodes.counts = levels->counts;
    nodes.fixed = factors->dims;
    if (mapcore_dims_solve(found, NULL, &nodes, NULL) < 0)
        return;
    memmove(factors->dims + 2 * n, factors->dims + n,
            (factors->nlevels - 1) * n * sizeof(*found));
    memcpy(factors->dims, found, 2 * n * sizeof(*found));
    memmove(factors->counts + 2, factors->counts + 1,
            (factors->nlevels - 1) * sizeof(*factors->counts));
    memcpy(factors->counts, levels->counts, 2 * sizeof(*factors->counts));
    factors->nlevels++;
}

static int factor(struct grid_factors *out,
                  struct mapcore_dims *problem,
                  const struct levels *levels)
{
    uint32_t most = levels->nlevels - (has_switches(levels) ? 1 : 0);

    problem->counts = out->counts;
    for (problem->nlevels = most; problem->nlevels > 0; problem->nlevels--) {
        merge_levels(out->counts, levels, problem->nlevels);
        if (mapcore_dims_solve(out->dims, NULL, problem, NULL) == 0)
            break;
    }
    out->nlevels = problem->nlevels;
    if (out->nlevels == 0)
        return MAPCORE_ERANGE;
    /* Nodes are a level still. */
    if (has_switches(levels) && (out->nlevels > 1 || most == 1))
        split_nodes(out, problem, levels);
    return 0;
}

int grid_lay_out(uint32_t *cell,
                 const struct cart_grid *grid,
                 const struct levels *levels)
{
    uint32_t fixed[MAPCORE_DIMS_MAX], n = (uint32_t)grid->ndims;
    double width[MAPCORE_DIMS_MAX];
    const double *weights = grid->weights;
    bool all_given = true;
    struct grid_factors factors;
    struct mapcore_dims problem = {
        .ndims = n, .width = width, .extent = grid->elements, .fixed = fixed};
    int error, *dims = grid->dims;

    if (grid->ndims < 1 || n > MAPCORE_DIMS_MAX)
        return MAPCORE_EINVAL;
    for (uint32_t i = 0; i < n; i++) {
        if (dims[i] < 0)
            return MAPCORE_ERANGE;
        if (weights && !(weights[i] > 0))
            return MAPCORE_EINVAL;
        fixed[i] = (uint32_t)dims[i];
        all_given = all_given && dims[i] > 0;
    }
    for (uint32_t i = 0; i < n; i++) {
        width[i] = weights ? weights[i] : all_given ? 1.0 / dims[i] : 1;
        /* It is divided by them again. */
        if (grid->elements)
            width[i] *= grid->elements[i];
    }
    if ((error = factor(&factors, &problem, levels)) < 0)
        return error;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t total = 1;

        for (uint32_t l = 0; l < factors.nlevels; l++)
            total *= factors.dims[l * n + i];
        dims[i] = (int)total;
    }
    for (uint32_t r = 0; cell && r < levels->ntasks; r++)
        cell[r] = mapcore_dims_renumber(levels->position[r], factors.nlevels,
                                        factors.counts, n, factors.dims);
    return 0;
}

int grid_cut(double *out,
             const struct cart_grid *grid,
             const uint32_t *where,
             const uint32_t *cell,
             uint32_t ntasks)
{
    uint32_t *place = malloc(ntasks * sizeof(*place)), stride = 1;
    double cut = 0;

    if (!place)
        return MAPCORE_ENOMEM;
    for (uint32_t r = 0; r < ntasks; r++)
        place[cell ? cell[r] : r] = where[r];
    for (int i = grid->ndims - 1; i >= 0; i--) {
        uint32_t extent = (uint32_t)grid->dims[i], crossed = 0;

        for (uint32_t c = 0; c < ntasks; c++) {
            uint32_t x = c / stride % extent, next = c + stride;

            if (x + 1 == extent) {
                /* Round the end, unless that is the neighbour anyway. */
                if (!grid->periods[i] || extent < 3)
                    continue;
                next = c - x * stride;
            }
            crossed += place[c] != place[next];
        }
        /* A cut across the grid has ntasks / extent pairs. */
        cut += (grid->weights ? grid->weights[i] * extent : 1) * crossed;
        stride *= extent;
    }
    free(place);
    *out = cut;
    return 0;
}

int grid_choose(uint32_t *cell,
                bool *moves,
                const struct cart_grid *grid,
                const struct levels *levels)
{
    uint32_t n = levels->ntasks, *where = malloc(n * sizeof(*where));
    double plain = 0, ours = 0;
    int error = where ? grid_lay_out(cell, grid, levels) : MAPCORE_ENOMEM;

    /* Nodes first, then the levels from outside in, until one tells which has
     * less weight between its parts; single tasks are all apart. */
    for (uint32_t l = 0; error == 0 && l <= levels->nlevels; l++) {
        uint32_t tasks = l == 0 ? 0 : levels_tasks(levels, l - 1);

        if (tasks == 1)
            break;
        for (uint32_t r = 0; r < n; r++)
            where[r] = l == 0 ? levels->node[r] : levels->position[r] / tasks;
        if ((error = grid_cut(&plain, grid, where, NULL, n)) == 0)
            error = grid_cut(&ours, grid, where, cell, n);
        if (ours < plain || ours > plain)
            break;
    }
    free(where);
    if (error < 0)
        return error;
    *moves = ours < plain;
    for (uint32_t r = 0; !*moves && r < n; r++)
        cell[r] = r;
    return 0;
}
