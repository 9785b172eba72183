/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* greedymap.h - GreedyMap: its cost functions over a growing partial solution,
 * the mapper, its parameters, and one run of it */
#ifndef MAPCORE_MAP_GREEDYMAP_H
#define MAPCORE_MAP_GREEDYMAP_H

#include "base/rng.h"
#include "map/greedy/order.h"
#include "map/mapper.h"
#include "map/problem.h"

#include <stdbool.h>

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

/* Its parameters, the tuple of ICS'17 section 4.5, and their words: those of
 * order are enum order_kind, those of cost enum cost_kind. */
enum greedymap_parameter {
    GREEDYMAP_ORDER,
    GREEDYMAP_DELTA,
    GREEDYMAP_PACK,
    GREEDYMAP_COST,
    GREEDYMAP_WRAP,
};
enum greedymap_delta { GREEDYMAP_DELTA_ALL, GREEDYMAP_DELTA_SQRT };
/* As a setting has a number: behind the two words (map/mapper.h). */
#define GREEDYMAP_DELTA_NUMBER(n) ((n) + 1)
enum greedymap_word { GREEDYMAP_YES, GREEDYMAP_NO };

/* Values of delta besides a number of hosts. */
#define GREEDYMAP_ALL  0
#define GREEDYMAP_SQRT UINT32_MAX

struct greedymap_config {
    enum order_kind order;
    uint32_t delta; /* hosts examined: a number, or one of the two above; sqrt
                       is the root of the number of hosts, rounded up */
    bool pack;      /* packNodeFirst */
    enum cost_kind cost;
    bool wrap;            /* Torus_Wrap */
    const uint32_t *list; /* [ntasks], borrowed; of greedymap_place */
};

/* The same as a setting of the mapper has it. */
void greedymap_take(struct greedymap_config *out, const uint32_t *value);

/* About what a run of it costs, in elementary steps: the bound of
 * greedymap_place, and what its order takes, all anew for each seed. */
double greedymap_cost(const struct greedymap_config *config,
                      const struct mapcore_graph *graph,
                      const struct mapcore_alloc *alloc);

/* Algorithm 1 of ICS'17 (Galvez, Jain, Kale, 2017) into host[ntasks], the tasks
 * in the order of the list. n_l starts at host 0 of the allocation. The
 * delta closest nodes of line 8 are taken among the hosts that still have a
 * free processor, n_l itself included, by distance from n_l, ties by index.
 * Line 10 draws among free processors, so a host with two of them is twice as
 * likely as a host with one. Without rng the first host is taken, and with it
 * half of the runs on a torus draw but once: the axes, and their directions, in
 * whose order they take the first. Drawn anew each time, a regular graph is
 * soon scattered over a regular network: 16,384 tasks of a 4-D grid on 16x2x16
 * came to 1.28 hops per byte in 300 runs, and with the axes to 0.5625, the
 * least that there is. rng is used up; end tells if any choice was between
 * several hosts. Costs are exact integers unless the graph has more than 2^63 /
 * diameter bytes: then bytes lose their last bits.
 * O(T d + S delta d + S N) with S = T, or with pack N, searches.
 * Memory is the arena's. Errors: ENOMEM. */
int greedymap_place(uint32_t *host,
                    struct mapper_end *end,
                    const struct map_problem *problem,
                    const struct greedymap_config *config,
                    struct rng *rng,
                    struct arena *arena);

#endif
