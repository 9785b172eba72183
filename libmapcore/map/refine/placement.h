/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* placement.h - a mapping under refinement, and how its hosts are split into
 * regions that are worked on at the same time */
#ifndef MAPCORE_MAP_PLACEMENT_H
#define MAPCORE_MAP_PLACEMENT_H

#include "map/problem.h"
#include "map/refine/coarse_graph.h"

#include <stdbool.h>

/* The vertices of a graph on hosts. The graph, size, is_fixed and the
 * allocation are borrowed, all else is the arena's that it was made with. */
struct placement {
    const struct coarse_graph *graph;
    const struct mapcore_alloc *alloc;
    uint32_t nhosts;
    uint32_t *host;       /* [graph->n] */
    uint32_t *capacity;   /* [nhosts], vertices that a host takes */
    const uint32_t *size; /* [graph->n] tasks of each vertex, which must fit the
                             slots of its host; NULL: 1 */
    const bool *is_fixed; /* [graph->n] vertices that stay where they are, and
                             take no capacity; NULL: none */

    /* The split at hand. */
    uint32_t nregions;
    uint32_t *begin;  /* [nregions + 1] into order */
    uint32_t *order;  /* [nhosts], hosts region by region */
    uint32_t *first;  /* [nhosts + 1] into member */
    uint32_t *member; /* [graph->n], vertices host by host, ascending */
    uint32_t *local;  /* [graph->n], number among the vertices of its region
                         that are not fixed; of a fixed one MAPCORE_NONE */
    uint32_t *spare;  /* [nhosts] */
    uint32_t *count;  /* [diameter + 2], hosts by distance */
};

/* host[graph->n] is copied. Capacities are the slots; with size (clusters, one
 * a host) 1. A host that has more slots than there are vertices, or far more
 * than it can need (over 16 times as many slots as vertices in all), counts as
 * smaller. NULL without memory. */
struct placement *placement_make(const struct coarse_graph *graph,
                                 const struct mapcore_alloc *alloc,
                                 const uint32_t *host,
                                 const uint32_t *size,
                                 const bool *is_fixed,
                                 struct arena *arena);

/* Splits the hosts anew: each time the hosts are sorted by their distance from
 * a random one, and the nearer share is split on by itself, as is the rest. So
 * regions are compact on any network, and different with every index. */
void placement_split(struct placement *placement,
                     uint64_t seed,
                     uint64_t index);

#endif
