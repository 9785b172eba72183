/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.h - tasks and hosts halved together, level by level */
#ifndef MAPCORE_MAP_RB_H
#define MAPCORE_MAP_RB_H

#include "graph/csr.h"
#include "map/bisection/dual.h"
#include "map/mapper.h"

/* How thoroughly the parts of a level are halved and exchange tasks. */
struct rb_how {
    const struct dual_effort *effort;
    uint32_t unit; /* of host_tree_create */
    uint32_t partners, rounds;
    uint32_t drafts; /* as bisect_task has them */
    uint32_t apart;  /* parts that are halved at the same time: of a level one
                        in `apart` at most, which lie far apart and hardly know
                        of each other; 0: one by one */
    dual_cut *cut;   /* instead of bisect_run, with arg; NULL */
    void *arg;
};

/* A mapper's run; the pass is the variant of the tree of hosts. *steps: parts
 * that were halved. Errors: those of dual_create. */
int rb_run(uint32_t *steps,
           const struct mapper_call *call,
           const struct rb_how *how);

/* Tasks in blocks of one size that stay together, and the graph of these. */
struct task_blocks {
    struct mapcore_graph graph; /* of blocks; bytes are scaled */
    uint32_t *block;            /* [ntasks], 0 .. graph.ntasks-1 */
};

/* The largest power of two that divides the slots of every host. */
uint32_t task_blocks_unit(const struct mapcore_alloc *alloc);

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
