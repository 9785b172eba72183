/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* weak_mpi.h - what the preloaded library has of MPI, included first by the
 * compiler's command line: a shell or another wrapper in front of the program
 * has none of it, and must start all the same */
#ifndef TOPOMAP_CART_WEAK_MPI_H
#define TOPOMAP_CART_WEAK_MPI_H

#pragma weak PMPI_Allgather
#pragma weak PMPI_Allreduce
#pragma weak PMPI_Bcast
#pragma weak PMPI_Comm_call_errhandler
#pragma weak PMPI_Comm_free
#pragma weak PMPI_Comm_rank
#pragma weak PMPI_Comm_size
#pragma weak PMPI_Comm_split
#pragma weak PMPI_Comm_split_type
#pragma weak PMPI_Comm_test_inter
#pragma weak PMPI_Gather
#pragma weak PMPI_Gatherv
#pragma weak PMPI_Info_get
#pragma weak PMPI_Info_get_valuelen
#pragma weak PMPI_Sendrecv

/* MPICH's. */
#pragma weak MPI_UNWEIGHTED
#pragma weak MPI_WEIGHTS_EMPTY

/* Open MPI's. */
#pragma weak ompi_mpi_byte
#pragma weak ompi_mpi_char
#pragma weak ompi_mpi_comm_null
#pragma weak ompi_mpi_comm_world
#pragma weak ompi_mpi_info_null
#pragma weak ompi_mpi_int
#pragma weak ompi_mpi_op_max
#pragma weak ompi_mpi_op_min
#pragma weak ompi_mpi_uint64_t

#endif
