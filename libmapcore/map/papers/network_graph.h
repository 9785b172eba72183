/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network_graph.h - the network as a graph: H of Hoefler and Snir (2011) */
#ifndef MAPCORE_MAP_NETWORK_GRAPH_H
#define MAPCORE_MAP_NETWORK_GRAPH_H

#include "alloc/alloc.h"
#include "alloc/distances.h"
#include "graph/graph.h"

struct arena;

struct network_graph {
    struct mapcore_graph *graph; /* owned: 1 byte a link; vertices are routers,
                                    switches and hosts */
    uint32_t *host;              /* [vertices], of the allocation; no two are at
                                    the same; MAPCORE_NONE: none is */
};

/* Torus: a vertex for each router of the whole network, taken or not, which is
 * that of its first host too; further hosts of a router hang at it by
 * 64 bytes, so that they are not cut off. Tree: a vertex for each switch and
 * each host of the allocation. Other networks: the hosts alone, each joined
 * with the 8 nearest others (ties: the first), O(nhosts^2). Errors: ERANGE,
 * ENOMEM. */
int network_graph_create(struct network_graph *out,
                         const struct mapcore_alloc *alloc,
                         struct arena *arena);

#endif
