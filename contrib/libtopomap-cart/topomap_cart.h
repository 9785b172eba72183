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

/* Sites of a lattice of four dimensions, x, y, z and t: from begin up to but
 * without end. */
typedef struct {
    int begin[4], end[4];
} MPIX_Lattice_box;

/* What lies one site beside a part of ours and is another rank's: one site
 * thick along dimension, in direction 1 or -1. That rank has the same face from
 * its side: the sites of ours that it touches. */
typedef struct {
    MPIX_Lattice_box box;
    int rank, dimension, direction;
} MPIX_Lattice_face;

/* A rank's share of a lattice. */
typedef struct {
    int nparts;
    MPIX_Lattice_box *parts; /* [nparts]: no two share a site */
    int nfaces;
    MPIX_Lattice_face *faces; /* [nfaces], ascending by rank */
    double imbalance;         /* most sites of a rank over the mean */
    double mean_path; /* links between ranks whose parts touch, on average */
    int longest_path; /* and at most */
} MPIX_Lattice;

/* Adaptive Layout (Fiedler and Whalen, CUG 2013, section II.C) at run time: a
 * lattice of sites[0] x sites[1] x sites[2] x sites[3] is cut up for a job
 * whose nodes are no box of a 3-D torus, such that parts that touch are near
 * each other there, and each rank gets its own and its neighbours'. Where a
 * rank is in the torus is, in this order, what info says on every rank; what
 * `topomap topology` says of a Slurm job's nodes; else nodes count as a row
 * along x. Each rank computes the layout for itself. Keys of info:
 *   topomap_coordinates  "3,0,17": the router of this rank, on every rank
 *   topomap_torus        "23,24,24": routers of each ring, 0 for none (rank 0)
 *   topomap_longest      "4": rebalancing makes no path longer than that, or
 *                        than the longest was before it (rank 0)
 * Collective over comm, an intra-communicator. lattice is ended by
 * MPIX_Lattice_free. Errors: MPI_ERR_ARG, MPI_ERR_DIMS (fewer sites along a
 * dimension than routers of the box around the job, or tasks at a router),
 * MPI_ERR_COMM, MPI_ERR_INFO_VALUE, MPI_ERR_NO_MEM, by the error handler of
 * comm. */
int MPIX_Lattice_create(MPI_Comm comm,
                        const int sites[4],
                        const int periods[4],
                        MPI_Info info,
                        MPIX_Lattice *lattice);
/* Local. */
int MPIX_Lattice_free(MPIX_Lattice *lattice);

#ifdef __cplusplus
}
#endif

#endif
