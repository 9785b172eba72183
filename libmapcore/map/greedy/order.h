/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order.h - task lists: the order in which GreedyMap places tasks */
#ifndef MAPCORE_MAP_ORDER_H
#define MAPCORE_MAP_ORDER_H

#include "map/problem.h"

#include <stdbool.h>

/* T of ICS'17 section 4.5. */
enum order_kind {
    ORDER_OO, /* as the application numbers them */
    /* Breadth first over the task graph from task 0, or in later passes a
     * random one, neighbours in ascending order; when a component is through,
     * on with the lowest task not yet in the list. */
    ORDER_BFS,
    /* Depth first from the same task along the edge with the most bytes (ties:
     * the lowest task; the paper leaves open which edge) to a task not yet in
     * the list; when there is none, on with the lowest such neighbour of the
     * earliest task in the list that has one, then as above. */
    ORDER_BFS_DFS,
    /* The graph cut into one part a host with slots, sizes in proportion to the
     * slots (partition.h), by another seed of METIS in each pass: part after
     * part, ascending tasks in a part. */
    ORDER_GPART,
    /* Ours: the grid that the ranks show, the last dimension first in pass 0,
     * and later in a random order of these; without a grid OO. */
    ORDER_GRID,
    ORDER_CUSTOM, /* from a file: a task number a line, `#` comments */
};

/* Whether another pass gives another list. */
bool order_depends_on_pass(enum order_kind kind);

/* Whether GRID is another list than OO. Errors: ENOMEM. */
int order_has_grid(bool *out,
                   const struct mapcore_graph *graph,
                   struct mapcore_error *err);

/* Which list. */
struct order_key {
    enum order_kind kind;
    const char *path; /* of CUSTOM's file, else not read */
    uint64_t seed;    /* of kinds that depend on the pass, */
    uint32_t pass;    /* and that */
};

/* Fills list[ntasks] with a permutation of the tasks. Where the problem has
 * orders, which several threads may use, the last list of each kind is made
 * once: who wants one of a kind waits for who makes one. *timed_out: list is
 * not complete. Errors: ENOMEM; of CUSTOM EIO, EPARSE with file and line (no
 * number, no such task, a task twice, tasks left out). O(T + E) but for GPART
 * and GRID.
 */
int order_make(uint32_t *list,
               bool *timed_out,
               const struct map_problem *problem,
               const struct order_key *key,
               struct mapcore_error *err);

/* The lists of a search, for struct map_problem. Errors: ENOMEM. */
int order_cache_create(struct order_cache **out, struct mapcore_error *err);
void order_cache_destroy(struct order_cache *cache);

#endif
