/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus_loads.h - what the links of a 3-D torus or mesh carry, and the slowest
 * of them */
#ifndef MAPCORE_CART_TORUS_LOADS_H
#define MAPCORE_CART_TORUS_LOADS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>

/* Router (x, y, z) has the number x + dims[0] (y + dims[1] z). */
struct torus_loads {
    uint32_t dims[3];
    bool wraps[3];
    double capacity[3];
    const double *along[3]; /* borrowed; as in struct mapcore_prism_search */
    uint32_t (*at)[3];      /* [routers], owned: coordinates */
    double *load;           /* [routers * 6], owned: link (router * 3 + axis) *
                               2, + 1 for the negative direction */
    uint32_t *used;         /* [nused], owned: links that carry something */
    size_t nused;
    double slowest; /* time of the slowest link, load over capacity */
};

/* capacity and along may be NULL: 1 everywhere, as for each element of along.
 * Ended by torus_loads_clear, also after a failure. Errors: ENOMEM. */
int torus_loads_open(struct torus_loads *out,
                     const uint32_t dims[3],
                     const bool wraps[3],
                     const double *capacity,
                     const double *const *along,
                     struct mapcore_error *err);
void torus_loads_clear(struct torus_loads *loads);

/* Links on a shortest way between two routers. */
uint32_t torus_loads_hops(const struct torus_loads *loads,
                          uint32_t a,
                          uint32_t b);
/* Half of the bytes each way, x first, then y, then z, the shorter way round,
 * of a tie half: as MAPCORE_ROUTES_STATIC has it. */
void torus_loads_add(struct torus_loads *loads,
                     uint32_t a,
                     uint32_t b,
                     double bytes);
/* Takes everything off again. */
void torus_loads_reset(struct torus_loads *loads);

#endif
