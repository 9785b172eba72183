/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flow_routes.h - the way of each flow through the network */
#ifndef MAPCORE_PLAY_FLOW_ROUTES_H
#define MAPCORE_PLAY_FLOW_ROUTES_H

#include "play/play.h"

/* Directions of links are numbered: link x directions, + 1 for the way down a
 * tree's. */
struct flow_routes;

/* Borrows topo. Errors: ENOMEM. */
int flow_routes_open(struct flow_routes **out,
                     const struct mapcore_topo *topo,
                     enum mapcore_routing routing,
                     uint64_t seed,
                     struct mapcore_error *err);
void flow_routes_close(struct flow_routes *routes);

/* The most links that a way has. */
uint32_t flow_routes_longest(const struct flow_routes *routes);

/* A flow between two different hosts of the topology. */
struct flow_ask {
    uint32_t a, b;
    uint64_t half_bytes;
    uint64_t number;
};
/* Its way, into link[flow_routes_longest], each at most once; returns how many.
 * Those behind the first *whole carry half of the flow, as topo_split_route has
 * it. Where routing looks at loads, half_bytes are added to those on it. */
uint32_t flow_routes_find(struct flow_routes *routes,
                          const struct flow_ask *flow,
                          uint32_t *link,
                          uint32_t *whole);

#endif
