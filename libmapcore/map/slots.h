/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slots.h - which slot of its host a task takes */
#ifndef MAPCORE_MAP_SLOTS_H
#define MAPCORE_MAP_SLOTS_H

#include "graph/graph.h"

/* Fills slot[ntasks]: the tasks of each host take its first slots, so that
 * tasks that talk much are neighbours in the depth-first order of the hardware
 * tree. Ours, no paper's: a greedy chain (begun at the task with the fewest
 * bytes to the others on its host, then always the task with the most bytes to
 * the last one, or, when it has none, to all in the chain; ties by number),
 * kept only where its sum of bytes x slot distance is below that of ascending
 * task numbers. Hosts of more than 1,024 tasks stay ascending.
 * host: [ntasks], below nhosts. Errors: ENOMEM. */
int slots_assign(uint32_t *slot,
                 const struct mapcore_graph *graph,
                 const uint32_t *host,
                 uint32_t nhosts,
                 struct mapcore_error *err);

#endif
