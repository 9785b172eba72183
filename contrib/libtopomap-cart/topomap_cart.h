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
 * at hand: finds its levels (leaf switches of nodes inside a Slurm job, by what
 * `topomap topology` says; nodes by MPI_Comm_split_type; packages, NUMA nodes
 * and L3 caches by hwloc where all tasks are bound inside one), factors level
 * by level, outermost first, and reorders the ranks so that each part of the
 * machine holds a block of the grid, however comm numbers them. A level whose
 * parts have unequal numbers of tasks is left out; where nodes have, there is
 * one level, and ranks follow each other node by node. dims[i] > 0 on entry is
 * kept, 0 is to be found; their product must be the size of comm. With
 * MPIX_WEIGHTS_EQUAL and all dims given, all pairs of neighbours weigh the
 * same. Ranks are only reordered where that leaves fewer grid neighbours (by
 * weight) on other nodes, or as few there and fewer in other parts of the
 * outermost level that differs. Keys of info, which rank 0 of comm is asked
 * for:
 *   topomap_levels    which levels, "node,numa" of switch, node, package, numa,
 *                     l3 (all of them); then numbers, "node,2,4": the parts of
 *                     a node, and of those, tasks being dealt by rank
 *   topomap_widths    "2,1,1": the width of the halo in each dimension; weights
 *                     are multiplied by it
 *   topomap_elements  "384,190,64": elements of the whole grid, which weights
 *                     are divided by; no dimension gets more pieces than that
 * Collective over comm, which must be an intra-communicator; comm_cart is the
 * caller's to free. Errors: MPI_ERR_ARG, MPI_ERR_DIMS, MPI_ERR_COMM,
 * MPI_ERR_INFO_VALUE (of these keys) and what MPI gives, by the error handler
 * of comm. */
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
