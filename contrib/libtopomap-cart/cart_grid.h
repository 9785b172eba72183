/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cart_grid.h - a grid laid out over the levels of a machine: no MPI call in it
 */
#ifndef TOPOMAP_CART_GRID_H
#define TOPOMAP_CART_GRID_H

#include "libtopomap-cart/levels.h"

#include <stdbool.h>

/* What a grid is to be. */
struct cart_grid {
    int ndims, *dims;       /* dims[ndims]: 0 is to be found */
    const int *periods;     /* [ndims]; not for grid_lay_out */
    const double *weights;  /* [ndims], what a cut across the whole grid costs
                               in each dimension; NULL: the same for all, or,
                               where all dims are given, such that all pairs of
                               neighbours cost the same */
    const double *elements; /* [ndims], no more pieces than those along each
                               dimension; NULL: no bound */
};

/* Fills the dims that are 0 and cell[levels->ntasks] (NULL: not wanted): the
 * cell of each rank, row-major. Blocks of nodes are chosen as if there were no
 * switches, then those of neighbouring nodes go to one switch where they can;
 * so switches never cost bytes between nodes. Levels are left out from the
 * inside where dims that are given do not fit them. Errors: EINVAL (a weight
 * that is not above 0, too many dimensions), ERANGE (a negative dimension, or
 * their product cannot be the number of tasks); nothing is written then. */
int grid_lay_out(uint32_t *cell,
                 const struct cart_grid *grid,
                 const struct levels *levels);

/* What neighbours in different places weigh, over all pairs: where[ntasks] of
 * each rank (nodes, packages), cell[ntasks] (NULL: rank r is in cell r).
 * Errors: ENOMEM. */
int grid_cut(double *out,
             const struct cart_grid *grid,
             const uint32_t *where,
             const uint32_t *cell,
             uint32_t ntasks);

/* Chooses dims and cells as grid_lay_out does, but leaves every rank r in cell
 * r unless that is worse: between nodes, or as good there and worse between
 * the parts of the outermost level where the two differ. *moves: whether ranks
 * move. Errors: as above, ENOMEM. */
int grid_choose(uint32_t *cell,
                bool *moves,
                const struct cart_grid *grid,
                const struct levels *levels);

#endif
