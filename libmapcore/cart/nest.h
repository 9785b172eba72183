/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* nest.h - cells of a grid that is cut up level by level */
#ifndef MAPCORE_CART_NEST_H
#define MAPCORE_CART_NEST_H

#include "base/error.h"

/* The cell of the piece at a position, in row-major order (the last dimension
 * runs fastest, as MPI_Cart_create has it). Positions number the innermost
 * pieces of each piece of the level above one after the other, row-major:
 * position / (counts[1] * ...) is the node, and so on (Niethammer and
 * Rabenseifner, EuroMPI 2018, appendix: the renumbering, for any number of
 * levels and dimensions). counts: [nlevels]; dims: [nlevels * ndims] factors,
 * those of a level multiplying to its count; position below the product of
 * counts, which is below 2^31. One to one. */
MAPCORE_API uint32_t mapcore_dims_cell(uint32_t position,
                                       uint32_t nlevels,
                                       const uint32_t *counts,
                                       uint32_t ndims,
                                       const uint32_t *dims);

#endif
