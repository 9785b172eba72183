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

int grid_lay_out(int *dims,
                 uint32_t *cell,
                 const struct levels *levels,
                 int ndims,
                 const double *weights,
                 const double *elements)
{
    uint32_t fixed[MAPCORE_DIMS_MAX];
    double width[MAPCORE_DIMS_MAX];
    bool all_given = true;
    struct grid_factors factors;
    struct mapcore_dims problem = {.ndims = (uint32_t)ndims,
                                   .width = width,
                                   .extent = elements,
                                   .fixed = fixed};
    int error;

    if (ndims < 1 || ndims > MAPCORE_DIMS_MAX)
        return MAPCORE_EINVAL;
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 0)
            return MAPCORE_ERANGE;
        if (weights && !(weights[i] > 0))
            return MAPCORE_EINVAL;
        fixed[i] = (uint32_t)dims[i];
        all_given = all_given && dims[i] > 0;
    }
    for (int i = 0; i < ndims; i++) {
        width[i] = weights ? weights[i] : all_given ? 1.0 / dims[i] : 1;
        /* It is divided by them again. */
        if (elements)
            width[i] *= elements[i];
    }
    if ((error = factor(&factors, &problem, levels)) < 0)
        return error;
    for (int i = 0; i < ndims; i++) {
        uint32_t total = 1;

        for (uint32_t l = 0; l < factors.nlevels; l++)
            total *= factors.dims[l * problem.ndims + (uint32_t)i];
        dims[i] = (int)total;
    }
    for (uint32_t r = 0; cell && r < levels->ntasks; r++)
        cell[r] =
            mapcore_dims_renumber(levels->position[r], factors.nlevels,
                                  factors.counts, problem.ndims, factors.dims);
    return 0;
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
        return MAPCORE_ENOMEM;
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
    return 0;
}

/* Whether ranks better move: less weight between the parts that where tells
 * apart (1), more (-1), or as much (0), into *out. */
static int compare_cuts(int *out,
                        const uint32_t *where,
                        const uint32_t *cell,
                        uint32_t ntasks,
                        int ndims,
                        const int *dims,
                        const int *periods,
                        const double *weights)
{
    double plain, ours;
    int error;

    if ((error = grid_cut(&plain, where, NULL, ntasks, ndims, dims, periods,
                          weights)) < 0 ||
        (error = grid_cut(&ours, where, cell, ntasks, ndims, dims, periods,
                          weights)) < 0)
        return error;
    *out = (ours < plain) - (ours > plain);
    return 0;
}

int grid_choose(int *dims,
                uint32_t *cell,
                bool *moves,
                const struct levels *levels,
                int ndims,
                const int *periods,
                const double *weights,
                const double *elements)
{
    uint32_t n = levels->ntasks, *where = malloc(n * sizeof(*where));
    int better = 0;
    int error = where
                    ? grid_lay_out(dims, cell, levels, ndims, weights, elements)
                    : MAPCORE_ENOMEM;

    if (error == 0)
        error = compare_cuts(&better, levels->node, cell, n, ndims, dims,
                             periods, weights);
    for (uint32_t l = 0; error == 0 && better == 0 && l < levels->nlevels;
         l++) {
        uint32_t tasks = levels_tasks(levels, l);

        /* Single tasks are all apart. */
        if (tasks == 1)
            break;
        for (uint32_t r = 0; r < n; r++)
            where[r] = levels->position[r] / tasks;
        error = compare_cuts(&better, where, cell, n, ndims, dims, periods,
                             weights);
    }
    free(where);
    if (error < 0)
        return error;
    *moves = better > 0;
    for (uint32_t r = 0; !*moves && r < n; r++)
        cell[r] = r;
    return 0;
}
