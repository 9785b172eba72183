/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* preload.c - MPI_Dims_create, and MPI_Cart_create and MPI_Dist_graph_create
 * with reorder=1 of unchanged programs, taken over by LD_PRELOAD */
#include "config.h"

#include "libtopomap-cart/cart_grid.h"
#include "libtopomap-cart/cart_weighted.h"
#include "libtopomap-cart/dist_graph.h"

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

/* False in a program that has opened MPI by itself, later than us: all is left
 * to MPI there. */
static int has_mpi(void)
{
    return PMPI_Comm_test_inter != NULL;
}

static void find_world(int error)
{
    if (error == MPI_SUCCESS && has_mpi() && world.ntasks == 0 &&
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

/* Whether ranks of comm may be reordered. */
static int may_reorder(MPI_Comm comm, int reorder)
{
    int inter;

    return reorder && has_mpi() && comm != MPI_COMM_NULL &&
           PMPI_Comm_test_inter(comm, &inter) == MPI_SUCCESS && !inter;
}

/* A grid of all of comm that may be reordered. Each rank comes to the same
 * answer, for all of them are given the same arguments. */
static int is_ours(MPI_Comm comm, int ndims, const int dims[], int reorder)
{
    long product = 1;
    int size;

    if (!may_reorder(comm, reorder) || ndims < 1 || !dims ||
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

/* MPI itself is not asked to reorder any more: what it does is nothing
 * (MPICH), or wrong neighbours (Open MPI's issues 8939 and 11756). */
static int graph_create(__typeof__(&MPI_Dist_graph_create) next,
                        MPI_Comm comm,
                        const struct dist_edges *edges,
                        MPI_Info info,
                        int reorder,
                        MPI_Comm *out)
{
    MPI_Comm ordered = MPI_COMM_NULL;
    int error;

    if (may_reorder(comm, reorder))
        dist_graph_order(&ordered, comm, edges);
    error = next(ordered == MPI_COMM_NULL ? comm : ordered, edges->n,
                 edges->sources, edges->degrees, edges->destinations,
                 edges->weights, info, 0, out);
    if (ordered != MPI_COMM_NULL)
        PMPI_Comm_free(&ordered);
    return error;
}

static int graph_create_adjacent(
    __typeof__(&MPI_Dist_graph_create_adjacent) next,
    MPI_Comm comm,
    const struct dist_neighbours *mine,
    MPI_Info info,
    int reorder,
    MPI_Comm *out)
{
    MPI_Comm ordered = MPI_COMM_NULL;
    struct dist_neighbours their = *mine;
    int error, *memory = NULL;

    if (may_reorder(comm, reorder))
        dist_graph_order_adjacent(&ordered, &their, &memory, comm, mine);
    error = next(ordered == MPI_COMM_NULL ? comm : ordered, their.indegree,
                 their.sources, their.sourceweights, their.outdegree,
                 their.destinations, their.destweights, info, 0, out);
    if (ordered != MPI_COMM_NULL)
        PMPI_Comm_free(&ordered);
    free(memory);
    return error;
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

EXPORT int MPI_Dist_graph_create(MPI_Comm comm,
                                 int n,
                                 const int sources[],
                                 const int degrees[],
                                 const int destinations[],
                                 const int weights[],
                                 MPI_Info info,
                                 int reorder,
                                 MPI_Comm *graph)
{
    return graph_create(
        NEXT(MPI_Dist_graph_create, "MPI_Dist_graph_create"), comm,
        &(struct dist_edges){n, sources, degrees, destinations, weights}, info,
        reorder, graph);
}

EXPORT int PMPI_Dist_graph_create(MPI_Comm comm,
                                  int n,
                                  const int sources[],
                                  const int degrees[],
                                  const int destinations[],
                                  const int weights[],
                                  MPI_Info info,
                                  int reorder,
                                  MPI_Comm *graph)
{
    return graph_create(
        NEXT(MPI_Dist_graph_create, "PMPI_Dist_graph_create"), comm,
        &(struct dist_edges){n, sources, degrees, destinations, weights}, info,
        reorder, graph);
}

EXPORT int MPI_Dist_graph_create_adjacent(MPI_Comm comm,
                                          int indegree,
                                          const int sources[],
                                          const int sourceweights[],
                                          int outdegree,
                                          const int destinations[],
                                          const int destweights[],
                                          MPI_Info info,
                                          int reorder,
                                          MPI_Comm *graph)
{
    return graph_create_adjacent(
        NEXT(MPI_Dist_graph_create_adjacent, "MPI_Dist_graph_create_adjacent"),
        comm,
        &(struct dist_neighbours){indegree, sources, sourceweights, outdegree,
                                  destinations, destweights},
        info, reorder, graph);
}

EXPORT int PMPI_Dist_graph_create_adjacent(MPI_Comm comm,
                                           int indegree,
                                           const int sources[],
                                           const int sourceweights[],
                                           int outdegree,
                                           const int destinations[],
                                           const int destweights[],
                                           MPI_Info info,
                                           int reorder,
                                           MPI_Comm *graph)
{
    return graph_create_adjacent(
        NEXT(MPI_Dist_graph_create_adjacent, "PMPI_Dist_graph_create_adjacent"),
        comm,
        &(struct dist_neighbours){indegree, sources, sourceweights, outdegree,
                                  destinations, destweights},
        info, reorder, graph);
}
