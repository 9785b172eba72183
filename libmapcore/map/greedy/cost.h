/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cost.h - the cost functions of GreedyMap over a growing partial solution */
#ifndef MAPCORE_MAP_COST_H
#define MAPCORE_MAP_COST_H

#include "map/problem.h"

/* What a place for the next task costs. */
enum cost_kind {
    COST_HOP,  /* hop-bytes of the task to its placed neighbours */
    COST_MAX,  /* maximum hop-bytes of a task of the partial solution */
    COST_LINK, /* busiest link of the partial solution */
};

/* A partial solution and what a cost function keeps about it. One thread. */
struct cost;

struct arena;

/* host: [ntasks], the caller's; MAPCORE_NONE where a task is not placed yet
 * (all of them now). The arena's, or NULL without memory. */
struct cost *cost_create(const struct map_problem *problem,
                         enum cost_kind kind,
                         uint32_t *host,
                         struct arena *arena);

/* The cost of the partial solution after task goes to candidate[i], for
 * cost[n]: exact where it is the least of all; what is certainly more may be
 * UINT64_MAX. HOP: the cost that the task adds, which orders candidates alike.
 * Returns about how many elementary steps it took, for the caller's deadline.
 */
size_t cost_evaluate(uint64_t *out,
                     struct cost *cost,
                     uint32_t task,
                     const uint32_t *candidate,
                     uint32_t n);

/* Places task on host. */
void cost_place(struct cost *cost, uint32_t task, uint32_t host);

#endif
