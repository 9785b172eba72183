/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* blocks.h - the ranks of a virtual grid on a prism of routers, or block by
 * block on nodes in a row */
#ifndef MAPCORE_CART_BLOCKS_H
#define MAPCORE_CART_BLOCKS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* More dimensions than any program of the papers has. */
#define MAPCORE_BLOCKS_DIMS 6

/* A virtual Cartesian grid and the block of it that a place (a router, a node)
 * gets. */
struct mapcore_blocks {
    uint32_t ndims;                      /* 1 .. MAPCORE_BLOCKS_DIMS */
    uint32_t grid[MAPCORE_BLOCKS_DIMS];  /* tasks along each dimension */
    uint32_t block[MAPCORE_BLOCKS_DIMS]; /* of them at a place; divides grid,
                                            unless clips */
    bool clips; /* blocks at the far end of a dimension may be smaller, but no
                   block is larger than the grid; only for check and order */
    bool periodic[MAPCORE_BLOCKS_DIMS]; /* neighbours also round the end */
    double weight[MAPCORE_BLOCKS_DIMS]; /* bytes between two tasks that are next
                                           to each other; only for pairs */
    bool first_fastest; /* ranks run along the first dimension, else along the
                           last, as MPI_Cart_create has it */

    /* Only on a prism. Axes x, y, z are 0, 1, 2. */
    uint32_t axis[MAPCORE_BLOCKS_DIMS]; /* of the torus for each dimension with
                                         more than one block; no two on one */
    bool tiled;        /* two dimensions, in super-tiles that are folded;
                          axis[0] and axis[1] then span the planes */
    uint32_t tiles[2]; /* super-tiles along each dimension; divide the blocks */
    bool staggers;     /* layers of tiles are displaced, one by one, along the
                          axis of the dimension that is folded second */
};

/* Blocks along a dimension of a checked layout. */
static inline uint32_t mapcore_blocks_along(const struct mapcore_blocks *layout,
                                            uint32_t i)
{
    return layout->grid[i] / layout->block[i];
}

/* Checks it, and counts: *nplaces, *nper tasks at each, the last having what is
 * left when it clips; either may be NULL.
 * Errors: EINVAL with the numbers (a dimension of 0, blocks that do not divide,
 * tiles that do not), ERANGE. */
MAPCORE_API int mapcore_blocks_check(uint32_t *nplaces,
                                     uint32_t *nper,
                                     const struct mapcore_blocks *layout,
                                     struct mapcore_error *err);

/* Fills rank[] of all tasks of a checked layout: block after block, task after
 * task in it, both along the dimension that is fastest: what Cray's grid_order
 * prints. Every nper of them in a row are a place, which is a block, or, where
 * blocks are clipped, may be parts of several. */
MAPCORE_API void mapcore_blocks_order(uint32_t *rank,
                                      const struct mapcore_blocks *layout);

/* The size of the prism that a layout needs. Dimensions: blocks along each go
 * to its axis (Fiedler and Whalen, CUG 2013, section II.D: 3-D; 4-D with one
 * dimension inside the place). Super-tiles: each on a plane of its own, which
 * the axes of the two dimensions span (in the paper x and z), and planes along
 * the third; staggering takes one more router along the axis of the dimension
 * folded second for each layer but the first.
 * Errors: EINVAL (more than three dimensions of more than one block, two on an
 * axis). */
MAPCORE_API int mapcore_blocks_prism(uint32_t size[3],
                                     const struct mapcore_blocks *layout,
                                     struct mapcore_error *err);

/* The cell of a prism, x + size[0] (y + size[1] z), of each place, places
 * numbered as by mapcore_blocks_order: cell[nplaces]. Super-tiles are folded
 * accordion style, first across the dimension with fewer of them, and every
 * fold reverses direction (figure 3); with staggers layer l of the first
 * folding is displaced by l routers, across the edges of the second folding
 * (figure 4), so that tiles that talk across others use other links. */
MAPCORE_API void mapcore_blocks_cells(uint32_t *cell,
                                      const struct mapcore_blocks *layout);

/* Bytes of the tasks on a block's surface across dimension i. */
MAPCORE_API double mapcore_blocks_surface(const struct mapcore_blocks *layout,
                                          uint32_t i);

/* Places that are next to each other in one dimension, and what they say, both
 * ways together. */
struct mapcore_blocks_pair {
    uint32_t a, b;
    double bytes;
};
/* All of them: *out: [*n], owned. Errors: ENOMEM. */
MAPCORE_API int mapcore_blocks_pairs(struct mapcore_blocks_pair **out,
                                     size_t *n,
                                     const struct mapcore_blocks *layout,
                                     struct mapcore_error *err);

#endif
