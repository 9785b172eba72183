/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order.h - task lists: the order in which GreedyMap places tasks */
#ifndef MAPCORE_MAP_ORDER_H
#define MAPCORE_MAP_ORDER_H

#include "map/problem.h"

#include <stdbool.h>

/* T of ICS'17 section 4.5. */
enum order_kind {
    ORDER_OO,      /* as the application numbers them */
    ORDER_BFS,     /* breadth first over the task graph */
    ORDER_BFS_DFS, /* depth first; where that is stuck, breadth first */
    ORDER_GPART,   /* the parts of a minimum edge cut one after the other */
    ORDER_GRID,    /* ours: the grid that the ranks show, dimension by dimension
                      in another order of these; without a grid OO */
    ORDER_CUSTOM,  /* from a file */
};
#define ORDER_KINDS 6

/* Each fills list[ntasks] with a permutation of the tasks. */

/* Breadth first from start, neighbours in ascending order; when a component
 * is through, on with the lowest task not yet in the list. O(T + E). */
int order_bfs(uint32_t *list,
              const struct mapcore_graph *graph,
              uint32_t start,
              struct mapcore_error *err);
/* Depth first from start along the edge with the most bytes (ties: the lowest
 * task; the paper leaves open which edge) to a task not yet in the list; when
 * there is none, on with the lowest such neighbour of the earliest task in the
 * list that has one, then as above. O(T + E). */
int order_bfs_dfs(uint32_t *list,
                  const struct mapcore_graph *graph,
                  uint32_t start,
                  struct mapcore_error *err);
/* The graph cut into one part a host with slots, sizes in proportion to the
 * slots (partition.h); part after part, ascending tasks in a part. *timed_out:
 * list is not complete. */
int order_gpart(uint32_t *list,
                bool *timed_out,
                const struct map_problem *problem,
                uint32_t seed,
                struct mapcore_error *err);
/* One task number a line, `#` comments. Errors: EIO, EPARSE with file and line
 * (no number, no such task, a task twice, tasks left out), ENOMEM. */
int order_read(uint32_t *list,
               uint32_t ntasks,
               const char *path,
               struct mapcore_error *err);

/* Whether another pass gives another list. */
bool order_depends_on_pass(enum order_kind kind);

/* Whether GRID is another list than OO. Errors: ENOMEM. */
int order_has_grid(bool *out,
                   const struct mapcore_graph *graph,
                   struct mapcore_error *err);

/* Which list. */
struct order_key {
    enum order_kind kind;
    const char *path; /* of CUSTOM's file, else NULL */
    uint64_t seed;    /* of kinds that depend on the pass, */
    uint32_t pass;    /* and that */
};

/* The list of any kind but CUSTOM for a pass: BFS and BFS-DFS start at task 0
 * in pass 0 and at a random task later; METIS gets another seed in each pass;
 * GRID walks the last dimension first in pass 0, and later takes them in a
 * random order.
 * *timed_out: as above. Errors: ENOMEM. */
int order_make(uint32_t *list,
               bool *timed_out,
               const struct map_problem *problem,
               const struct order_key *key,
               struct mapcore_error *err);

#endif
