/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_abi.h - which MPI a shared library is, by its name */
#ifndef PROGRAM_MPI_ABI_H
#define PROGRAM_MPI_ABI_H

/* Programs and tools of one ABI run on every MPI of it. */
enum mpi_abi {
    MPI_ABI_NONE, /* no MPI that is known here */
    MPI_ABI_MPICH,
    MPI_ABI_OPENMPI,
};

/* name: a DT_SONAME or DT_NEEDED, or a path that ends in one. */
enum mpi_abi mpi_abi_of_library(const char *name);

#endif
