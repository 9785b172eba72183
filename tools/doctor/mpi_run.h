/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_run.h - one run of srun, and all that it and its tasks print */
#ifndef TOOLS_MPI_RUN_H
#define TOOLS_MPI_RUN_H

#include "base/buffer.h"

/* Starts as all zero; ended by mpi_run_clear. */
struct mpi_run {
    struct buffer out, said; /* stdout, stderr */
    int status;              /* of waitpid() */
};

/* Runs words[0], found by PATH, until it ends, which it does by itself: its
 * tasks have an alarm, its job has a time limit. That it waits for nodes is
 * shown on stderr. Errors: EIO (cannot be run; more than 1 MiB), ENOMEM. */
int mpi_run(struct mpi_run *out,
            char *const words[],
            struct mapcore_error *err);
void mpi_run_clear(struct mpi_run *run);

#endif
