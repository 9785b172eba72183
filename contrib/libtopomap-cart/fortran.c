/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fortran.c - the same calls for Fortran, named as gfortran and most others
 * name them */
#include "config.h"

#include "libtopomap-cart/topomap_cart.h"

#include <stdlib.h>

/* What the program links to. */
#define TOPOMAP_CART_API __attribute__((visibility("default")))

TOPOMAP_CART_API void mpix_dims_weighted_create_(const MPI_Fint *nnodes,
                                                 const MPI_Fint *ndims,
                                                 const double *weights,
                                                 MPI_Fint *dims,
                                                 MPI_Fint *ierror);
TOPOMAP_CART_API void mpix_cart_weighted_create_(const MPI_Fint *comm,
                                                 const MPI_Fint *ndims,
                                                 const double *weights,
                                                 const MPI_Fint *periods,
                                                 const MPI_Fint *info,
                                                 MPI_Fint *dims,
                                                 MPI_Fint *comm_cart,
                                                 MPI_Fint *ierror);

/* Fortran has no null: a first weight below 0 is MPIX_WEIGHTS_EQUAL. */
static const double *take_weights(const double *weights)
{
    return weights[0] < 0 ? MPIX_WEIGHTS_EQUAL : weights;
}

void mpix_dims_weighted_create_(const MPI_Fint *nnodes,
                                const MPI_Fint *ndims,
                                const double *weights,
                                MPI_Fint *dims,
                                MPI_Fint *ierror)
{
    *ierror =
        MPIX_Dims_weighted_create(*nnodes, *ndims, take_weights(weights), dims);
}

void mpix_cart_weighted_create_(const MPI_Fint *comm,
                                const MPI_Fint *ndims,
                                const double *weights,
                                const MPI_Fint *periods,
                                const MPI_Fint *info,
                                MPI_Fint *dims,
                                MPI_Fint *comm_cart,
                                MPI_Fint *ierror)
{
    MPI_Comm cart = MPI_COMM_NULL;
    int n = *ndims > 0 ? *ndims : 0;
    int *wraps = malloc(((size_t)n + 1) * sizeof(*wraps));

    if (!wraps) {
        *ierror = MPI_ERR_NO_MEM;
        return;
    }
    for (int i = 0; i < n; i++)
        wraps[i] = periods[i] != 0;
    *ierror = MPIX_Cart_weighted_create(PMPI_Comm_f2c(*comm), *ndims,
                                        take_weights(weights), wraps,
                                        PMPI_Info_f2c(*info), dims, &cart);
    free(wraps);
    if (*ierror == MPI_SUCCESS)
        *comm_cart = PMPI_Comm_c2f(cart);
}
