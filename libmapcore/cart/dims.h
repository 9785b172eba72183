/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims.h - how many tasks, nodes, cores go along each dimension of a grid, and
 * which cell is whose */
#ifndef MAPCORE_CART_DIMS_H
#define MAPCORE_CART_DIMS_H

#include "base/error.h"

/* More dimensions than any program has. */
#define MAPCORE_DIMS_MAX 32

/* When the halos of the dimensions travel (Fiedler and Whalen, 2013, section
 * II.A). */
enum mapcore_exchange {
    MAPCORE_EXCHANGE_ONE_BY_ONE, /* times add up */
    MAPCORE_EXCHANGE_TOGETHER,   /* the slowest dimension counts */
};

/* A Cartesian grid of elements that is cut up on several levels of a machine,
 * the outermost first: 625 nodes of 24 cores are counts {625, 24}. */
struct mapcore_dims {
    uint32_t nlevels;        /* >= 1 */
    const uint32_t *counts;  /* [nlevels], each >= 1, product below 2^31 */
    uint32_t ndims;          /* 1 .. MAPCORE_DIMS_MAX */
    const double *extent;    /* [ndims] t_i, elements along each dimension, > 0;
                                NULL: all the same, and no bound */
    const double *width;     /* [ndims] w_i, halo width or bytes an element of
                                surface, > 0; NULL: all the same */
    const double *bandwidth; /* [ndims] of the links that the outermost level
                                uses, > 0; NULL: all the same */
    const uint32_t *fixed;   /* [ndims] pieces that a dimension must have in the
                                end, 0: free; NULL: all free */
    enum mapcore_exchange exchange;
};

/* Finds dims[nlevels * ndims], level by level: the factors n_i of each count.
 * Weighted multi-level dims of Niethammer and Rabenseifner (EuroMPI 2018),
 * slides 8 to 15 and 21: on each level, with those above it fixed, of all
 * factorizations the one with
 *   1. the least sum of a_i n_i, where a_i = w_i / t_i times the factors of
 *      the levels above (with MAPCORE_EXCHANGE_TOGETHER the least maximum of
 *      a_i n_i, then the least sum),
 *   2. the least difference of the largest and the smallest factor,
 *   3. the least largest factor;
 * sums within 1e-12 of each other are the same; what is still equal goes by
 * ascending factors. Larger factors go where a_i is smaller, of equal a_i to
 * the first. Ours: no dimension is cut into more pieces than it has elements
 * when extents are given, bandwidths divide the widths of the outermost level,
 * and dimensions may be fixed, as MPI_Dims_create has it: each level then takes
 * a factor of what is left of them.
 * sum: [nlevels] what was minimised on each level, or NULL.
 * A call takes some microseconds. Errors: EINVAL (a count of 0, a number that
 * is not above 0, no factorization fits the extents or fixed dimensions; with
 * fixed ones on several levels that may be so because an outer level took what
 * an inner one would have needed), ERANGE. */
MAPCORE_API int mapcore_dims_solve(uint32_t *dims,
                                   double *sum,
                                   const struct mapcore_dims *problem,
                                   struct mapcore_error *err);

/* The cell of the piece at a position, in row-major order (the last dimension
 * runs fastest, as MPI_Cart_create has it). Positions number the innermost
 * pieces of each piece of the level above one after the other, row-major:
 * position / (counts[1] * ...) is the node, and so on (Niethammer and
 * Rabenseifner, EuroMPI 2018, appendix: the renumbering, for any number of
 * levels and dimensions). counts: [nlevels]; dims: [nlevels * ndims] factors,
 * those of a level multiplying to its count; position below the product of
 * counts, which is below 2^31. One to one. */
MAPCORE_API uint32_t mapcore_dims_renumber(uint32_t position,
                                           uint32_t nlevels,
                                           const uint32_t *counts,
                                           uint32_t ndims,
                                           const uint32_t *dims);

/* The shape of the tile of a node that makes its halo exchange fastest: shape
 * [ndims], extents relative to those of a cube of the same volume (their
 * product is 1), by width w_i and bandwidth B_i of each dimension (NULL: all
 * the same). The time of a dimension is w_i V / (M_i B_i); both the least sum
 * and the least maximum have equal times (Fiedler and Whalen, 2013, section
 * II.A), so M_i ~ w_i / B_i. *gain: time of the cube over that of the shape,
 * 2^(2/3) = 1.59 together and 1.06 one by one for B = 2, 1, 2. Errors:
 * EINVAL. */
MAPCORE_API int mapcore_dims_tile(double *shape,
                                  double *gain,
                                  uint32_t ndims,
                                  const double *width,
                                  const double *bandwidth,
                                  enum mapcore_exchange exchange,
                                  struct mapcore_error *err);

#endif
