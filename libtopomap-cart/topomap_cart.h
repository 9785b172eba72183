/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topomap_cart.h - Cartesian grids that know the machine, for MPI programs */
#ifndef TOPOMAP_CART_H
#define TOPOMAP_CART_H

#include <mpi.h>

#ifdef __cplusplus
extern "C" {
#endif

/* All dimensions weigh the same. */
#define MPIX_WEIGHTS_EQUAL ((const double *)0)

/* MPI_Dims_create with weights: factors of nnodes with the least sum of
 * dim_weights[i] * dims[i] (Niethammer and Rabenseifner, EuroMPI 2018). A
 * weight says what a cut across dimension i costs: bytes that a unit of
 * surface exchanges, divided by the extent of the dimension. dims[i] > 0 on
 * entry is kept, 0 is to be found. Local. Errors: MPI_ERR_ARG, MPI_ERR_DIMS
 * (no factors; nothing is written), to the caller alone. */
int MPIX_Dims_weighted_create(int nnodes,
                              int ndims,
                              const double dim_weights[],
                              int dims[]);

/* MPI_Dims_create and MPI_Cart_create in one, with weights and for the machine
 * at hand: finds its levels (nodes by MPI_Comm_split_type, packages by hwloc
 * where tasks are bound inside one), factors level by level, outermost first,
 * and reorders the ranks so that each node and package holds a block of the
 * grid, however comm numbers them. dims[i] > 0 on entry is kept, 0 is to be
 * found; their product must be the size of comm. With MPIX_WEIGHTS_EQUAL and
 * all dims given, all pairs of neighbours weigh the same. Where nodes have
 * unequal numbers of tasks there is one level, and ranks follow each other node
 * by node. Ranks are only reordered where that leaves fewer grid neighbours (by
 * weight) on other nodes. info is not used yet. Collective over comm, which
 * must be an intra-communicator; comm_cart is the caller's to free. Errors:
 * MPI_ERR_ARG, MPI_ERR_DIMS, MPI_ERR_COMM and what MPI gives, by the error
 * handler of comm. */
int MPIX_Cart_weighted_create(MPI_Comm comm,
                              int ndims,
                              const double dim_weights[],
                              const int periods[],
                              MPI_Info info,
                              int dims[],
                              MPI_Comm *comm_cart);

#ifdef __cplusplus
}
#endif

#endif
