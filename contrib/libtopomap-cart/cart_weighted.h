/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_weighted.h - Cartesian communicators with ranks reordered, for the calls
 * of our own and for those of MPI that are taken over */
#ifndef TOPOMAP_CART_WEIGHTED_H
#define TOPOMAP_CART_WEIGHTED_H

#include "libtopomap-cart/levels.h"

#include <mpi.h>

/* MPIX_Cart_weighted_create without its error handler. */
int weighted_create(MPI_Comm *comm_cart,
                    MPI_Comm comm,
                    int ndims,
                    const double *weights,
                    const int *periods,
                    MPI_Info info,
                    int *dims);

/* The levels of comm as weighted_create without an info would find them;
 * collective. */
int weighted_world(struct levels *out, MPI_Comm comm);

#endif
