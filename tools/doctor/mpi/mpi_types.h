/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_types.h - which words of --mpi this Slurm knows */
#ifndef TOOLS_MPI_TYPES_H
#define TOOLS_MPI_TYPES_H

#include "base/error_set.h"

/* Asks `srun --mpi=list`. Errors: ENOENT (type is not in it, with the list),
 * EIO (srun cannot be run), ENOMEM. A list that cannot be read says nothing
 * against the type. */
int mpi_types_check(const char *type, struct mapcore_error *err);

#endif
