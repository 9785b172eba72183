/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* levels.h - the levels of the machine under a communicator */
#ifndef TOPOMAP_CART_LEVELS_H
#define TOPOMAP_CART_LEVELS_H

#include <mpi.h>
#include <stdint.h>

/* Nodes, packages of a node, tasks of a package. */
#define LEVELS_MOST 3

struct levels {
    uint32_t nlevels;
    uint32_t counts[LEVELS_MOST]; /* [nlevels], outermost first; their product
                                     is ntasks */
    uint32_t ntasks;
    uint32_t *position; /* [ntasks] of each rank, tasks of a node and of a
                           package in a row, by rank */
    uint32_t *node;     /* [ntasks] of each rank, by lowest rank */
    uint32_t *package;  /* [ntasks] of each rank over all nodes, as far as the
                           levels tell packages apart, else as node */
};

/* Finds the levels; collective. Nodes with unequal numbers of tasks: one level
 * of all tasks. An MPI error code, also MPI_ERR_NO_MEM. */
int levels_find(struct levels *out, MPI_Comm comm);
void levels_clear(struct levels *levels);

#endif
