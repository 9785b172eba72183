/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* machine.h - the levels of the machine under a communicator: where all its
 * tasks tell each other where they are */
#ifndef TOPOMAP_CART_MACHINE_H
#define TOPOMAP_CART_MACHINE_H

#include "libtopomap-cart/levels.h"

#include <mpi.h>

/* An MPI error code for what the parts without MPI return: MPI_ERR_ARG for
 * EINVAL, MPI_ERR_DIMS for ERANGE, MPI_ERR_NO_MEM for ENOMEM. */
int machine_error(int error);

/* Finds the levels; collective, wish the same on all. An MPI error code, also
 * MPI_ERR_NO_MEM and MPI_ERR_INFO_VALUE (levels that are given do not divide
 * the tasks). */
int machine_find_levels(struct levels *out,
                        MPI_Comm comm,
                        const struct levels_wish *wish);

/* The name of this task's node: the lowest rank of comm on it. Collective. */
int machine_find_leader(int *out, MPI_Comm comm);

#endif
