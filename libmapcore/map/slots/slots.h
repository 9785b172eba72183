/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slots.h - which slot of its host a task takes */
#ifndef MAPCORE_MAP_SLOTS_H
#define MAPCORE_MAP_SLOTS_H

#include "alloc/alloc.h"
#include "graph/graph.h"
#include "topo/hwnode.h"

/* Fills slot[ntasks]: the tasks of each host take its first slots, so that
 * tasks that talk much are neighbours in the depth-first order of the hardware
 * tree. Ours, no paper's: a greedy chain (begun at the task with the fewest
 * bytes to the others on its host, then always the task with the most bytes to
 * the last one, or, when it has none, to all in the chain; ties by number),
 * kept only where its sum of bytes x slot distance is below that of ascending
 * task numbers. Hosts of more than 1,024 tasks stay ascending.
 * With a node, the tree that all hosts have inside, that is only where
 * slots_tree_lay_out begins (see there): then any slots may be taken, and
 * inside hop-bytes are nowhere above those of the chain or of ascending
 * order.
 * host: [ntasks], of the allocation; none has more tasks than slots. node may
 * be NULL. Errors: ENOMEM. */
int slots_assign(uint32_t *slot,
                 const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 const uint32_t *host,
                 const struct mapcore_hwnode *node,
                 struct mapcore_error *err);

#endif
