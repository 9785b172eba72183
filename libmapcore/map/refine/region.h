/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* region.h - one region of a placement with its vertices, renumbered: small
 * enough for the cache of a core, and changed by one thread while others are at
 * other regions */
#ifndef MAPCORE_MAP_REGION_H
#define MAPCORE_MAP_REGION_H

#include "map/refine/placement.h"

/* Hosts are columns 0 .. nhosts-1; the hosts outside to which vertices of the
 * region have edges are the columns behind, and do not change. An edge leads to
 * a vertex of the region, or to n + i for one that does not move, on column i:
 * it is outside, or fixed. The places of host h are place_begin[h] ..
 * place_begin[h + 1] - 1; one without a vertex holds MAPCORE_NONE. Fixed
 * vertices are not among the n, and have no place. */
struct region {
    uint32_t n, nhosts, ncolumns, nnear;
    uint32_t *row;            /* [n + 1] */
    struct coarse_edge *edge; /* heaviest first in every row */
    int64_t *bytes;           /* [n], of all edges of a vertex */
    uint32_t *host;           /* [n + ncolumns], its column */
    uint32_t *place;          /* [n] */
    uint32_t *occupant;       /* [place_begin[nhosts]], the vertex there */
    uint32_t *place_begin;    /* [nhosts + 1] */
    uint16_t *distance;       /* [nhosts * ncolumns] */
    uint32_t *near;           /* [nhosts * REGION_NEAR], of which nnear */
    uint32_t *entry;          /* [ncolumns], the nearest host of the region */
    uint32_t *size;           /* [n], or NULL: every vertex fits everywhere */
    uint32_t *slots;          /* [nhosts], with size */
    uint32_t *global_vertex;  /* [n], number in the placement */
    uint32_t *global_host;    /* [ncolumns], host of the allocation */
};

/* How many of the nearest other hosts are known of each. */
#define REGION_NEAR 8

/* Reads the placement; several regions may be made at once. Distances above
 * 65,535 count as that. O(edges + nhosts * ncolumns). The arena's, or NULL
 * without memory. */
struct region *region_make(const struct placement *placement,
                           uint32_t index,
                           struct arena *arena);
/* The nearest other hosts of host a, ties from the one behind it on, given its
 * distances: `most` at most. Returns how many. */
uint32_t region_nearest(uint32_t *near,
                        uint32_t most,
                        const uint16_t *distance,
                        uint32_t nhosts,
                        uint32_t a);
/* Puts the vertices back on the placement; no region may be made meanwhile. */
void region_store(const struct region *region, struct placement *placement);

#endif
