/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rb.h - tasks and hosts halved together, level by level */
#ifndef MAPCORE_MAP_RB_H
#define MAPCORE_MAP_RB_H

#include "map/bisection/dual.h"
#include "map/mapper.h"

/* How thoroughly the parts of a level are halved and exchange tasks. */
struct rb_how {
    const struct dual_effort *effort;
    uint32_t unit; /* of host_tree_create */
    uint32_t partners, rounds;
    uint32_t apart; /* parts that are halved at the same time: of a level one
                       in so many at most, which lie far apart and hardly know
                       of each other; 0: one by one */
    dual_cut *cut;  /* instead of bisect_run, with arg; NULL */
    void *arg;
};

/* A mapper's run; the pass is the variant of the tree of hosts. *steps: parts
 * that were halved. Errors: those of dual_create. */
int rb_run(uint32_t *host,
           struct mapper_end *end,
           uint32_t *steps,
           const struct map_problem *problem,
           const struct mapper_call *call,
           const struct rb_how *how);

#endif
