/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* alloc.h - the job's hosts inside a topology, and the slots on each */
#ifndef MAPCORE_ALLOC_ALLOC_H
#define MAPCORE_ALLOC_ALLOC_H

#include "topo/topo.h"

/* Hosts are known by their index 0 .. nhosts-1 in the allocation's own order
 * (Slurm's node list); a slot takes one task. Immutable; borrows the topology,
 * which must outlive it. */
struct mapcore_alloc;

/* host: [nhosts] topology numbers, each at most once, or NULL for 0, 1, ...;
 * slots: [nhosts], 0 allowed. Arrays are copied. Errors: EINVAL, ERANGE (more
 * than 2^31 slots), ENOMEM. */
MAPCORE_API int mapcore_alloc_create(struct mapcore_alloc **out,
                                     const struct mapcore_topo *topo,
                                     uint32_t nhosts,
                                     const uint32_t *host,
                                     const uint32_t *slots,
                                     struct mapcore_error *err);
MAPCORE_API void mapcore_alloc_destroy(struct mapcore_alloc *alloc);

MAPCORE_API const struct mapcore_topo *mapcore_alloc_topo(
    const struct mapcore_alloc *alloc);
MAPCORE_API uint32_t mapcore_alloc_nhosts(const struct mapcore_alloc *alloc);
MAPCORE_API uint32_t mapcore_alloc_nslots(const struct mapcore_alloc *alloc);
MAPCORE_API uint32_t mapcore_alloc_slots(const struct mapcore_alloc *alloc,
                                         uint32_t host);
/* Topology number of a host. */
MAPCORE_API uint32_t mapcore_alloc_host(const struct mapcore_alloc *alloc,
                                        uint32_t host);
/* mapcore_topo_distance between two hosts of the allocation; O(1) for up to
 * 8,192 hosts, of which it keeps a table, a part of it when first asked for.
 * May be called by several threads at once. */
MAPCORE_API uint32_t mapcore_alloc_distance(const struct mapcore_alloc *alloc,
                                            uint32_t a,
                                            uint32_t b);
/* The same nodes in a network of their interfaces (mapcore_topo_rails),
 * borrowed: with n slots on a node, slot s is on host node x parts + s x parts
 * / n. parts is the largest divisor of rails that leaves no node without a slot
 * for each, and where it is less, what a task sends spreads over several
 * interfaces. Itself where that is 1. */
MAPCORE_API const struct mapcore_alloc *mapcore_alloc_by_rail(
    const struct mapcore_alloc *alloc);
/* The host there of a node's slot. */
MAPCORE_API uint32_t mapcore_alloc_rail_host(const struct mapcore_alloc *alloc,
                                             uint32_t node,
                                             uint32_t slot);

/* Slurm's short form of counts per host, "16(x3),8", or one number for all
 * hosts, into slots[nhosts]. Errors: EPARSE, EINVAL (not nhosts counts). */
MAPCORE_API int mapcore_slots_parse(uint32_t *slots,
                                    uint32_t nhosts,
                                    const char *text,
                                    struct mapcore_error *err);

#endif
