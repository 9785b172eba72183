/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_grid.h - a grid laid out over the levels of a machine: no MPI call in it
 */
#ifndef TOPOMAP_CART_GRID_H
#define TOPOMAP_CART_GRID_H

#include "libtopomap-cart/levels.h"

#include <stdbool.h>

/* Fills the dims[ndims] that are 0 and cell[levels->ntasks]: the cell of each
 * rank, row-major. Levels are left out from the inside where dims that are
 * given do not fit them. weights: [ndims], what a cut across the whole grid
 * costs in each dimension; NULL: the same for all, or, where all dims are
 * given, such that all pairs of neighbours cost the same. MPI_ERR_ARG (a weight
 * that is not above 0, too many dimensions), MPI_ERR_DIMS (their product cannot
 * be the number of tasks; nothing is written), MPI_ERR_NO_MEM. */
int grid_lay_out(int *dims,
                 uint32_t *cell,
                 const struct levels *levels,
                 int ndims,
                 const double *weights);

/* What neighbours in different places weigh, over all pairs: where[ntasks] of
 * each rank (nodes, packages), cell[ntasks] (NULL: rank r is in cell r).
 * MPI_ERR_NO_MEM. */
int grid_cut(double *out,
             const uint32_t *where,
             const uint32_t *cell,
             uint32_t ntasks,
             int ndims,
             const int *dims,
             const int *periods,
             const double *weights);

#endif
