/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_weighted.c - MPIX_Dims_weighted_create and MPIX_Cart_weighted_create */
#include "config.h"

#include "libtopomap-cart/topomap_cart.h"

#include "libtopomap-cart/cart_grid.h"
#include "libtopomap-cart/cart_weighted.h"

#include <limits.h>
#include <stdlib.h>

/* What the program links to. */
#define TOPOMAP_CART_API __attribute__((visibility("default")))

/* Ranks into their cells, then the grid over them, which MPI need not reorder
 * any more. */
static int create(MPI_Comm *out,
                  MPI_Comm comm,
                  int cell,
                  int ndims,
                  const int *dims,
                  const int *periods)
{
    MPI_Comm ordered = MPI_COMM_NULL;
    int error = PMPI_Comm_split(comm, 0, cell, &ordered);

    if (error != MPI_SUCCESS)
        return error;
    error = PMPI_Cart_create(ordered, ndims, dims, periods, 0, out);
    PMPI_Comm_free(&ordered);
    return error;
}

/* Chooses dims and the cells of all ranks: as they are, unless that is better
 * between nodes, or as good there and better between packages. */
static int lay_out(int *dims,
                   uint32_t *cell,
                   const struct levels *levels,
                   int ndims,
                   const double *weights,
                   const int *periods)
{
    const uint32_t *where[] = {levels->node, levels->package};
    double plain[2], ours[2];
    int error = grid_lay_out(dims, cell, levels, ndims, weights);

    for (int i = 0; error == MPI_SUCCESS && i < 2; i++)
        if ((error = grid_cut(&plain[i], where[i], NULL, levels->ntasks, ndims,
                              dims, periods, weights)) == MPI_SUCCESS)
            error = grid_cut(&ours[i], where[i], cell, levels->ntasks, ndims,
                             dims, periods, weights);
    if (error != MPI_SUCCESS)
        return error;
    if (ours[0] < plain[0] || (!(ours[0] > plain[0]) && ours[1] < plain[1]))
        return MPI_SUCCESS;
    for (uint32_t r = 0; r < levels->ntasks; r++)
        cell[r] = r;
    return MPI_SUCCESS;
}

int weighted_create(MPI_Comm *comm_cart,
                    MPI_Comm comm,
                    int ndims,
                    const double *weights,
                    const int *periods,
                    int *dims)
{
    struct levels levels = {0};
    uint32_t *cell = NULL;
    int *found = NULL;
    int rank, error, inter;

    if (ndims < 1 || !periods || !dims || !comm_cart)
        return MPI_ERR_ARG;
    if ((error = PMPI_Comm_test_inter(comm, &inter)) != MPI_SUCCESS)
        return error;
    if (inter)
        return MPI_ERR_COMM;
    if ((error = PMPI_Comm_rank(comm, &rank)) != MPI_SUCCESS ||
        (error = levels_find(&levels, comm)) != MPI_SUCCESS)
        return error;
    cell = malloc(levels.ntasks * sizeof(*cell));
    found = malloc((size_t)ndims * sizeof(*found));
    error = MPI_ERR_NO_MEM;
    if (!cell || !found)
        goto out;
    for (int i = 0; i < ndims; i++)
        found[i] = dims[i];
    if ((error = lay_out(found, cell, &levels, ndims, weights, periods)) !=
            MPI_SUCCESS ||
        (error = create(comm_cart, comm, (int)cell[rank], ndims, found,
                        periods)) != MPI_SUCCESS)
        goto out;
    for (int i = 0; i < ndims; i++)
        dims[i] = found[i];
out:
    free(found);
    free(cell);
    levels_clear(&levels);
    return error;
}

TOPOMAP_CART_API int MPIX_Cart_weighted_create(MPI_Comm comm,
                                               int ndims,
                                               const double dim_weights[],
                                               const int periods[],
                                               MPI_Info info,
                                               int dims[],
                                               MPI_Comm *comm_cart)
{
    int error =
        weighted_create(comm_cart, comm, ndims, dim_weights, periods, dims);

    (void)info;
    if (error == MPI_SUCCESS)
        return error;
    PMPI_Comm_call_errhandler(comm == MPI_COMM_NULL ? MPI_COMM_WORLD : comm,
                              error);
    return error;
}

TOPOMAP_CART_API int MPIX_Dims_weighted_create(int nnodes,
                                               int ndims,
                                               const double dim_weights[],
                                               int dims[])
{
    struct levels flat = {.nlevels = 1};

    if (nnodes < 1 || !dims)
        return MPI_ERR_ARG;
    flat.ntasks = flat.counts[0] = (uint32_t)nnodes;
    return grid_lay_out(dims, NULL, &flat, ndims, dim_weights);
}
