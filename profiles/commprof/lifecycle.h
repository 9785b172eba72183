/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* lifecycle.h - from MPI_Init to the report in MPI_Finalize */
#ifndef COMMPROF_FINISH_H
#define COMMPROF_FINISH_H

#include <mpi.h>

/* Starts recording, and sees to it that MPI_Finalize reports. Called once, in
 * MPI_Init, with record_depth held. Calls nothing collective: a task on a node
 * without the recorder would never answer. */
void lifecycle_begin(void);

#endif
