/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_mpi.h - may ranks move under a type of MPI */
#ifndef TOOLS_CHECK_MPI_H
#define TOOLS_CHECK_MPI_H

#include "tools/doctor/doctor.h"
#include "tools/doctor/doctor_report.h"

/* Whether ranks that are moved under this type of MPI sit where the plugin puts
 * them, MPI knows that they do, and Slurm and the kernel say the same: two
 * steps of four ranks on two nodes for each MPI program, one as Slurm lays it
 * out and one that must move. Errors: ENOENT (no program is there, or none
 * starts under that type), EIO (srun cannot be run), ENOMEM. */
int check_mpi(struct doctor_report *report,
              const struct doctor_options *options,
              struct mapcore_error *err);

#endif
