/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dragonfly.h - the inside of a dragonfly, between its making and its use */
#ifndef MAPCORE_TOPO_DRAGONFLY_H
#define MAPCORE_TOPO_DRAGONFLY_H

#include "topo/ops.h"

/* Kim, Dally, Scott and Abts, ISCA 2008: a minimal route takes at most one
 * global link, which may need a local one before and one behind it. Global
 * port k of a group is at its router k / nglobal. Ports are dealt in rounds: in
 * each, group g is connected with g+1, g+2, ..., g-1 (mod ngroups) in this
 * order, so "offset" o = 0 .. ngroups-2 leads to g + 1 + o, whose way back is
 * offset ngroups-2-o of the same round (the relative arrangement of Hastings
 * et al., CLUSTER 2015). Ports that are left behind the full rounds go in one
 * more round to the first and last offsets, as many of each, and an odd one to
 * the middle offset if there is one: numbers of links between two groups differ
 * by at most 1. */
struct dragonfly {
    struct mapcore_topo base;
    uint32_t ngroups, nrouters, nper, nglobal;
    uint32_t nrounds; /* full ones */
    uint32_t nextra;  /* offsets of the last round */
    uint32_t nports;  /* global ports of a group in use */
    /* Links, one number a direction. That of host h to its router 2h, back
     * 2h + 1; from first_local, router by router, those to the other routers
     * of its group; from first_global those of the ports, group by group. */
    uint32_t first_local, first_global;
    double capacity[3]; /* host, local, global */
};

extern const struct topo_ops dragonfly_ops;

#endif
