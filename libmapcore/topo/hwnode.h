/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* hwnode.h - the inside of a host: further levels below the network */
#ifndef MAPCORE_TOPO_HWNODE_H
#define MAPCORE_TOPO_HWNODE_H

#include "base/error.h"

/* The hardware tree that every host of a machine has, immutable. */
struct mapcore_hwnode;

/* Four times what nodes of 4,096 threads have. */
#define MAPCORE_HWNODE_XML_MOST ((size_t)16 << 20)

/* description: levels as hwloc's synthetic form has them, from the root down,
 * "package:2 core:8" or "pack:2 numa:2 l3:4 core:4 pu:2": packages, dies,
 * groups, memory (also [numa]), caches, cores and threads, each with its number
 * in one of the level above; attributes between parentheses say nothing. Or
 * hwloc's XML, when it begins with '<' (`lstopo --of xml`). Errors: EINVAL,
 * ERANGE (more than 4,096 hardware threads, more bytes of XML than above),
 * ENOMEM. */
MAPCORE_API int mapcore_hwnode_create(struct mapcore_hwnode **out,
                                      const char *description,
                                      struct mapcore_error *err);
MAPCORE_API void mapcore_hwnode_destroy(struct mapcore_hwnode *node);
/* Cores of the node, 1 or more; O(1). */
MAPCORE_API uint32_t mapcore_hwnode_ncores(const struct mapcore_hwnode *node);

/* Steps in the hardware tree between slots a and b of nslots: up to the
 * smallest object that holds both, and down again, levels that part nothing not
 * counted; 0 within a core. Slots are dealt evenly over the cores in
 * depth-first order, over hardware threads when there are more slots than
 * cores, and again from the first when there are more than threads. O(levels).
 */
MAPCORE_API uint32_t mapcore_hwnode_distance(const struct mapcore_hwnode *node,
                                             uint32_t nslots,
                                             uint32_t a,
                                             uint32_t b);

enum {
    MAPCORE_HWNODE_TEXT = 80,
};
/* The object that holds a slot of nslots and parts those that are `steps` and
 * more from each other, as hwloc calls it and counts it: "Package L3 1", into
 * text[MAPCORE_HWNODE_TEXT]; objects of equal number are one. Steps: a distance
 * of that nslots, not 0. */
MAPCORE_API void mapcore_hwnode_object(char *text,
                                       const struct mapcore_hwnode *node,
                                       uint32_t nslots,
                                       uint32_t slot,
                                       uint32_t steps);
/* The number in its host of the object that holds a slot of nslots, of the type
 * that hwloc calls so, "L3" or "numa": below 4,096, and 0 where no level of
 * that type parts the host. */
MAPCORE_API uint32_t
mapcore_hwnode_object_number(const struct mapcore_hwnode *node,
                             uint32_t nslots,
                             uint32_t slot,
                             const char *type);

#endif
