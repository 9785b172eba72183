/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gather.h - what all tasks counted, brought to rank 0 along a tree */
#ifndef COMMPROF_GATHER_H
#define COMMPROF_GATHER_H

#include "commprof/write/gathered.h"

#include <mpi.h>

/* In: one task's own; out, on rank 0: all tasks' together (elsewhere: spent).
 * Collective over comm; a task without memory still takes part. */
void gather(struct gathered *all, MPI_Comm comm, int rank, int size);

#endif
