/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* doctor.h - the checks of topomap doctor */
#ifndef TOOLS_DOCTOR_H
#define TOOLS_DOCTOR_H

#include "base/error.h"

#include <stdbool.h>

/* As typed, borrowed. */
struct doctor_options {
    const char *mpi;
    const char *program; /* NULL: those that were installed */
    char **srun;         /* further words for srun, up to a NULL */
};

/* Whether ranks that are moved under this type of MPI sit where the plugin puts
 * them, MPI knows that they do, and Slurm and the kernel say the same: two
 * steps of four ranks on two nodes for each MPI program, one as Slurm lays it
 * out and one that must move. A line for each goes to stdout. *healthy: it was
 * so for all that could be tried, and one could. Errors: ENOENT (no program is
 * there, or none starts under that type), EIO (srun cannot be run), ENOMEM. */
int doctor_check_mpi(bool *healthy,
                     const struct doctor_options *options,
                     struct mapcore_error *err);

#endif
