/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_type.h - whether srun's --mpi makes one MPI job of a program's ranks */
#ifndef TOOLS_MPI_TYPE_H
#define TOOLS_MPI_TYPE_H

#include <stdbool.h>

/* Whether ranks that were one job's under the type recorded are programs of one
 * rank each under the type now; types as SLURM_MPI_TYPE has them, NULL: not
 * known, and nothing is lost. */
bool mpi_type_is_lost(const char *recorded, const char *now);

#endif
