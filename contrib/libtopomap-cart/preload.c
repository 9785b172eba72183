/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preload.c - MPI_Dims_create and MPI_Cart_create(reorder=1) of unchanged
 * programs, taken over by LD_PRELOAD */
#include "config.h"

#include "libtopomap-cart/cart_grid.h"
#include "libtopomap-cart/cart_weighted.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdlib.h>

#define EXPORT __attribute__((visibility("default")))

/* The levels of MPI_COMM_WORLD, for MPI_Dims_create, which is given no
 * communicator and may not talk: found in MPI_Init. ntasks 0: not known. */
static struct levels world;

/* Next of that name behind us, of the type of f. Fortran layers call one or
 * the other, so both MPI_X and PMPI_X are ours, and go on to their own. */
#define NEXT(f, name) ((__typeof__(&(f)))dlsym(RTLD_NEXT, name))

static void find_world(int error)
{
    if (error == MPI_SUCCESS && world.ntasks == 0 &&
        weighted_world(&world, MPI_COMM_WORLD) != MPI_SUCCESS)
        world.ntasks = 0;
}

static int init(__typeof__(&MPI_Init) next, int *argc, char ***argv)
{
    int error = next(argc, argv);

    find_world(error);
    return error;
}

static int init_thread(__typeof__(&MPI_Init_thread) next,
                       int *argc,
                       char ***argv,
                       int required,
                       int *provided)
{
    int error = next(argc, argv, required, provided);

    find_world(error);
    return error;
}

/* Only the whole of MPI_COMM_WORLD has levels that are known. What the
 * machine's levels cannot do, or what is wrong, is MPI's. */
static int dims_create(__typeof__(&MPI_Dims_create) next,
                       int nnodes,
                       int ndims,
                       int dims[])
{
    if (nnodes > 0 && (uint32_t)nnodes == world.ntasks && world.nlevels > 1 &&
        dims &&
        grid_lay_out(NULL, &(struct cart_grid){.ndims = ndims, .dims = dims},
                     &world) == 0)
        return MPI_SUCCESS;
    return next(nnodes, ndims, dims);
}

/* A grid of all of comm that may be reordered. Each rank comes to the same
 * answer, for all of them are given the same arguments. */
static int is_ours(MPI_Comm comm, int ndims, const int dims[], int reorder)
{
    long product = 1;
    int size, inter;

    if (!reorder || ndims < 1 || !dims || comm == MPI_COMM_NULL ||
        PMPI_Comm_test_inter(comm, &inter) != MPI_SUCCESS || inter ||
        PMPI_Comm_size(comm, &size) != MPI_SUCCESS)
        return 0;
    for (int i = 0; i < ndims; i++) {
        if (dims[i] < 1 || product > INT_MAX)
            return 0;
        product *= dims[i];
    }
    return product == size;
}

static int cart_create(__typeof__(&MPI_Cart_create) next,
                       MPI_Comm comm,
                       int ndims,
                       const int dims[],
                       const int periods[],
                       int reorder,
                       MPI_Comm *comm_cart)
{
    int *given;
    int error = MPI_ERR_NO_MEM;

    if (!is_ours(comm, ndims, dims, reorder))
        return next(comm, ndims, dims, periods, reorder, comm_cart);
    given = malloc((size_t)ndims * sizeof(*given));
    if (given) {
        for (int i = 0; i < ndims; i++)
            given[i] = dims[i];
        error = weighted_create(comm_cart, comm, ndims, NULL, periods,
                                MPI_INFO_NULL, given);
        free(given);
    }
    if (error == MPI_SUCCESS)
        return error;
    return next(comm, ndims, dims, periods, reorder, comm_cart);
}

EXPORT int MPI_Init(int *argc, char ***argv)
{
    return init(NEXT(MPI_Init, "MPI_Init"), argc, argv);
}

EXPORT int PMPI_Init(int *argc, char ***argv)
{
    return init(NEXT(MPI_Init, "PMPI_Init"), argc, argv);
}

EXPORT int MPI_Init_thread(int *argc, char ***argv, int required, int *provided)
{
    return init_thread(NEXT(MPI_Init_thread, "MPI_Init_thread"), argc, argv,
                       required, provided);
}

EXPORT int PMPI_Init_thread(int *argc,
                            char ***argv,
                            int required,
                            int *provided)
{
    return init_thread(NEXT(MPI_Init_thread, "PMPI_Init_thread"), argc, argv,
                       required, provided);
}

EXPORT int MPI_Dims_create(int nnodes, int ndims, int dims[])
{
    return dims_create(NEXT(MPI_Dims_create, "MPI_Dims_create"), nnodes, ndims,
                       dims);
}

EXPORT int PMPI_Dims_create(int nnodes, int ndims, int dims[])
{
    return dims_create(NEXT(MPI_Dims_create, "PMPI_Dims_create"), nnodes, ndims,
                       dims);
}

EXPORT int MPI_Cart_create(MPI_Comm comm,
                           int ndims,
                           const int dims[],
                           const int periods[],
                           int reorder,
                           MPI_Comm *comm_cart)
{
    return cart_create(NEXT(MPI_Cart_create, "MPI_Cart_create"), comm, ndims,
                       dims, periods, reorder, comm_cart);
}

EXPORT int PMPI_Cart_create(MPI_Comm comm,
                            int ndims,
                            const int dims[],
                            const int periods[],
                            int reorder,
                            MPI_Comm *comm_cart)
{
    return cart_create(NEXT(MPI_Cart_create, "PMPI_Cart_create"), comm, ndims,
                       dims, periods, reorder, comm_cart);
}
