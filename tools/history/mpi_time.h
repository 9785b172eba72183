/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_time.h - how long a step's tasks were in MPI, as they have left it in the
 * folder that srun made for it */
#ifndef TOOLS_MPI_TIME_H
#define TOOLS_MPI_TIME_H

#include "base/error.h"

/* Seconds in MPI, of the tasks that tell on average; the folder, ROOT/.spool-
 * UID/time-JOB.STEP-N, goes with what lies in it, and others like it that are
 * older than a week, whose srun was killed. Errors: EINVAL (no such folder),
 * ETRUST (not the user's own), ENOENT (no task tells), EIO, ENOMEM. */
int mpi_time_take(double *out, const char *folder, struct mapcore_error *err);

#endif
