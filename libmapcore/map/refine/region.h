/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region.h - one region of a board with its grains, renumbered: small enough
 * for the cache of a core, and changed by one thread while others are at other
 * regions */
#ifndef MAPCORE_MAP_PATCH_H
#define MAPCORE_MAP_PATCH_H

#include "map/refine/placement.h"

/* Hosts are columns 0 .. nhosts-1; the hosts outside to which grains of the
 * patch have edges stand still in the columns behind. An edge leads to a grain
 * of the patch, or to n + i for column nhosts + i. The places of host h
 * are place_begin[h] .. place_begin[h + 1] - 1; one without a grain holds
 * MAPCORE_NONE. */
struct patch {
    uint32_t n, nhosts, ncolumns, nnear;
    uint32_t *row;           /* [n + 1] */
    struct grain_edge *edge; /* heaviest first in every row */
    int64_t *bytes;          /* [n], of all edges of a grain */
    uint32_t *host;          /* [n + ncolumns - nhosts], its column */
    uint32_t *place;         /* [n] */
    uint32_t *tenant;        /* [place_begin[nhosts]], the grain there */
    uint32_t *place_begin;   /* [nhosts + 1] */
    uint16_t *distance;      /* [nhosts * ncolumns] */
    uint32_t *near;          /* [nhosts * PATCH_NEAR], of which nnear */
    uint32_t *gate;          /* [ncolumns], the nearest host of the patch */
    uint32_t *size;          /* [n], or NULL: every grain fits everywhere */
    uint32_t *slots;         /* [nhosts], with size */
    uint32_t *original;      /* [n], number in the grain */
    uint32_t *outer;         /* [ncolumns], host of the allocation */
};

/* How many of the nearest other hosts are known of each. */
#define PATCH_NEAR 8

/* Reads the board; several patches may be made at once. Distances above 65,535
 * count as that. O(edges + nhosts * ncolumns). Errors: ENOMEM. */
int patch_create(struct patch **out,
                 const struct board *board,
                 uint32_t region,
                 struct mapcore_error *err);
void patch_destroy(struct patch *patch);
/* Puts the grains back on the board; no patch may be made meanwhile. */
void patch_store(const struct patch *patch, struct board *board);

#endif
