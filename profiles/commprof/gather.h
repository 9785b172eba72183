/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gather.h - what all tasks counted, brought to rank 0 along a tree */
#ifndef COMMPROF_GATHER_H
#define COMMPROF_GATHER_H

#include "commprof/edges.h"

#include <mpi.h>

enum gather_status {
    GATHER_OK,
    GATHER_MEMORY, /* some task ran out of memory */
    GATHER_MPI,    /* some message failed */
};

struct gathered {
    struct totals totals[NTYPES];
    struct edges edges;
    uint32_t hosts;  /* tasks that are the first on their host */
    uint32_t status; /* enum gather_status; not OK: the rest is not whole */
};

/* In: one task's own; out, on rank 0: all tasks' together (elsewhere: spent).
 * Collective over comm; a task without memory still takes part. */
void gather(struct gathered *all, MPI_Comm comm, int rank, int size);

#endif
