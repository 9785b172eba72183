/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* link_loads.h - what the links of a network carry of many messages that all
 * take its static routes */
#ifndef MAPCORE_METRIC_LINK_LOADS_H
#define MAPCORE_METRIC_LINK_LOADS_H

#include "topo/topo.h"

struct link_loads;

/* Adds to load[nlinks], which is borrowed and begins as zeros. nroutes: about
 * how many will be added; the loads are the same whatever it says. Errors:
 * ENOMEM. */
int link_loads_open(struct link_loads **out,
                    const struct mapcore_topo *topo,
                    uint64_t *load,
                    size_t nroutes,
                    struct mapcore_error *err);

/* Puts amount on every link of mapcore_topo_route(a, b), hosts of the topology.
 * O(dimensions) on a torus of fewer links than routes, else O(links of the
 * route). */
void link_loads_add(struct link_loads *loads,
                    uint32_t a,
                    uint32_t b,
                    uint64_t amount);

/* Only now load[] holds what they carry. Takes NULL. */
void link_loads_close(struct link_loads *loads);

#endif
