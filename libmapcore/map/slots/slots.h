/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slots.h - which slot of its host a task takes */
#ifndef MAPCORE_MAP_SLOTS_H
#define MAPCORE_MAP_SLOTS_H

#include "alloc/alloc.h"
#include "graph/graph.h"
#include "topo/hwnode.h"

/* Hosts of more slots stay ascending: the quadratic tables would take longer
 * than they are worth. */
#define SLOTS_MOST 512

/* Fills slot[ntasks]: ascending slots from 0 for the tasks of each host, in
 * order. With a node, the tree that all hosts have inside, those slots of all
 * that a host has with fewer inside hop-bytes (bytes x
 * mapcore_hwnode_distance) than that, if there are any; ascending ones win
 * ties. Ours, no paper's: from a partition of the tasks level by level down the
 * tree (parts grown around a task of few bytes, each time by the task with the
 * most bytes into the part less those out of it), and from ascending slots,
 * tasks change places with each other or move to free slots as long as that
 * gains, then iterated local search: the best is perturbed a few times by
 * random exchanges, from a stream of its own, and descended from again. O(slots
 * ^2) a pass and in memory. Where there are many hosts they are perturbed less,
 * and begun from the partition alone.
 * host: [ntasks], of the allocation; none has more tasks than slots. node may
 * be NULL. Errors: ENOMEM. */
int slots_assign(uint32_t *slot,
                 const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 const uint32_t *host,
                 const struct mapcore_hwnode *node,
                 struct mapcore_error *err);

#endif
