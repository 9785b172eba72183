/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* prism.h - a box of routers in a 3-D torus with holes: Topaware's node
 * selection */
#ifndef MAPCORE_CART_PRISM_H
#define MAPCORE_CART_PRISM_H

#include "cart/blocks.h"

/* What is looked for. Axes are x, y, z; router (x, y, z) has the number
 * x + dims[0] (y + dims[1] z). Lines run along z, rows of lines along x, planes
 * of rows along y, as the paper has it; who wants it otherwise permutes. */
struct mapcore_prism_search {
    uint32_t dims[3];
    bool wraps[3];
    const bool *usable; /* [dims[0] * dims[1] * dims[2]] routers that may be
                           taken */
    const struct mapcore_blocks *layout; /* checked; links count where its
                                            tasks have bytes to say */
    /* What a link along each axis carries in each direction, or NULL: 1; and
     * where the links of an axis differ, in its stead, [dims[i]], that of the
     * link from each position on, the last one's round the end. */
    const double *capacity;     /* [3] */
    const double *const *along; /* [3] of NULL or [dims[i]], or NULL */
};

struct mapcore_prism {
    uint32_t size[3];  /* N_x, N_y, N_z */
    uint32_t start[3]; /* where the search began */
    uint32_t *router;  /* owned: of each place of the layout */
    uint32_t longest;  /* hops between two places that talk */
    double slowest;    /* time of the slowest link, half of the bytes each way,
                          axis by axis */
    uint64_t hops;     /* sum over all pairs */
    uint32_t skipped_rows, skipped_planes; /* left out inside the prism */
};

/* Fills best[] with up to *n prisms, no two of the same routers, the best first
 * (shortest longest path, then fastest slowest link, then least hops, then
 * lowest start), and sets *n to their number.
 * Topaware (Fiedler and Whalen, CUG 2013, section II.D): from a start, the
 * first N_z usable routers along z make a line, a position with fewer is
 * skipped, N_x lines make a plane, a plane with fewer is skipped, N_y
 * planes make the prism. Ours: every start is tried, not one that the user
 * guesses; ends of dimensions that wrap are no ends.
 * Time O(starts N_x N_y (dims[2] + N_z)). Errors: EINVAL (no axis for a
 * dimension, a size larger than the torus), ENOENT (no prism fits: the largest
 * number of planes found is in the text), ERANGE, ENOMEM. Each router list is
 * freed by the caller. */
MAPCORE_API int mapcore_prism_find(struct mapcore_prism *best,
                                   size_t *n,
                                   const struct mapcore_prism_search *search,
                                   struct mapcore_error *err);

#endif
