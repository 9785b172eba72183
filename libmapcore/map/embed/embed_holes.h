/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_holes.h - the routers of a torus of which an allocation has some */
#ifndef MAPCORE_MAP_EMBED_HOLES_H
#define MAPCORE_MAP_EMBED_HOLES_H

#include "map/problem.h"

struct arena;

/* Lines, rows of lines, planes: axes of the torus in which hosts differ. */
#define EMBED_HOLES_DIMS 3

/* The routers of the allocation. */
struct holed_torus {
    uint32_t ndims;
    uint32_t dim[EMBED_HOLES_DIMS];  /* of the torus */
    uint32_t size[EMBED_HOLES_DIMS]; /* 1 behind ndims */
    uint32_t ring[EMBED_HOLES_DIMS];
    double capacity[EMBED_HOLES_DIMS];
    const double *along[EMBED_HOLES_DIMS]; /* by coordinate, or NULL; borrowed
                                              from the topology */
    uint32_t
        start[EMBED_HOLES_DIMS]; /* behind the longest stretch of unused ones */
    uint32_t nrouters;
    uint32_t *slots; /* [nrouters], the first dimension fastest */
    uint32_t *of;    /* [nhosts] */
    uint32_t least;  /* slots of a router that is taken */
    uint32_t needed; /* routers */
};

/* All is the arena's. 1 where it is no torus, or the hosts differ in one
 * dimension only or in more than EMBED_HOLES_DIMS. Errors: ENOMEM. */
int embed_holes_open(struct holed_torus *out,
                     const struct mapcore_alloc *alloc,
                     uint32_t ntasks,
                     struct arena *arena);

#endif
