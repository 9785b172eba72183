/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* placement.h - a mapping under refinement, and how its hosts are split into
 * regions that are worked on at the same time */
#ifndef MAPCORE_MAP_BOARD_H
#define MAPCORE_MAP_BOARD_H

#include "map/problem.h"
#include "map/refine/coarse_graph.h"

/* Grains on hosts. The grain, size and the allocation are borrowed. */
struct board {
    const struct grain *grain;
    const struct mapcore_alloc *alloc;
    uint32_t nhosts;
    uint32_t *host;       /* [grain->n], owned */
    uint32_t *capacity;   /* [nhosts], grains that a host takes; owned */
    const uint32_t *size; /* [grain->n] tasks of each grain, which must fit the
                             slots of its host; NULL: 1 */

    /* The split at hand. */
    uint32_t nregions;
    uint32_t *begin;  /* [nregions + 1] into order */
    uint32_t *order;  /* [nhosts], hosts region by region */
    uint32_t *region; /* [nhosts] */
    uint32_t *first;  /* [nhosts + 1] into member */
    uint32_t *member; /* [grain->n], grains host by host, ascending */
    uint32_t *local;  /* [grain->n], number among the grains of its region */
    uint32_t *spare;  /* [nhosts] */
};

/* host[grain->n] is copied. Capacities are the slots; with size (lumps, one a
 * host) 1. A host that has more slots than there are grains, or far more than
 * it can need (over 16 times as many slots as grains in all), counts as
 * smaller. Errors: ENOMEM. */
int board_create(struct board **out,
                 const struct grain *grain,
                 const struct mapcore_alloc *alloc,
                 const uint32_t *host,
                 const uint32_t *size,
                 struct mapcore_error *err);
void board_destroy(struct board *board);

/* Splits the hosts anew: each time the hosts are sorted by their distance from
 * a random one, and the nearer share is split on by itself, as is the rest. So
 * regions are compact on any network, and different with every index. */
int board_split(struct board *board,
                uint64_t seed,
                uint64_t index,
                struct mapcore_error *err);

#endif
