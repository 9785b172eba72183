/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* loaded_mpi.h - the MPI library that this process has loaded */
#ifndef COMMPROF_FRONT_LOADED_MPI_H
#define COMMPROF_FRONT_LOADED_MPI_H

#include "profiles/program/mpi_abi.h"

#include <limits.h>

struct loaded_mpi {
    enum mpi_abi abi;
    char path[PATH_MAX]; /* the library's, as it was loaded; "": none */
};

/* What defines the MPI_Init behind ours, or else the first loaded library of a
 * known name: another tool may stand between. abi NONE with a path: an MPI that
 * is not known here. */
void loaded_mpi_find(struct loaded_mpi *out);

/* A function or data of the MPI library; where it is in no scope that scope
 * (RTLD_NEXT, RTLD_DEFAULT) searches, as with programs that dlopen it privately
 * (Python's mpi4py), it is taken from the library itself. NULL: nobody has it.
 */
void *loaded_mpi_symbol(const char *name, void *scope);

#endif
