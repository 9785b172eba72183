/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_blocks.h - tasks in blocks of one size that stay together, and the graph
 * of these */
#ifndef MAPCORE_MAP_TASK_BLOCKS_H
#define MAPCORE_MAP_TASK_BLOCKS_H

#include "alloc/alloc.h"
#include "base/rng.h"
#include "graph/csr.h"
#include "map/deadline.h"

struct task_blocks {
    struct mapcore_graph graph; /* of blocks; bytes are scaled */
    uint32_t *block;            /* [ntasks], 0 .. graph.ntasks-1 */
};

/* The largest power of two that divides the slots of every host. */
uint32_t task_blocks_unit(const struct mapcore_alloc *alloc);

struct arena;

/* Makes blocks of unit tasks, a power of two, the last ones of as many as there
 * are: in each of log2(unit) rounds all blocks are paired, with the neighbour
 * of the heaviest edge where that is free, then with one that has its heaviest
 * neighbour in common, then with any. graph has 2^29 edges at most. O(E log
 * unit). All is the arena's. *timed_out: time was up. Errors: ENOMEM. */
int task_blocks_make(struct task_blocks *out,
                     bool *timed_out,
                     const struct mapcore_graph *graph,
                     uint32_t unit,
                     struct rng *rng,
                     const struct map_deadline *deadline,
                     struct arena *arena);

#endif
