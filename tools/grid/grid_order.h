/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_order.h - a grid whose ranks are ordered by blocks: those that are asked
 * for, or those that keep most of what was recorded on the nodes */
#ifndef TOOLS_GRID_ORDER_H
#define TOOLS_GRID_ORDER_H

#include "cart/blocks.h"
#include "graph/graph.h"
#include "profiles/profile.h"
#include "tools/common/tool.h"

enum grid_rank_order {
    GRID_SMP,         /* ranks in a row: MPICH_RANK_REORDER_METHOD=1 */
    GRID_ROUND_ROBIN, /* dealt one by one: 0 */
    GRID_FOLDED,      /* there and back: 2 */
    GRID_GIVEN,       /* by the block that was asked for */
    GRID_BEST,        /* by the best block that was found */
    GRID_ORDERS,
};

struct grid_order {
    struct mapcore_blocks layout; /* ndims 0: the grid is to be found */
    uint32_t nblock;              /* dimensions of the block; 0: not given */
    uint32_t per;                 /* tasks of a node; 0: not said */
    uint32_t ntasks, *rank;       /* [ntasks], owned: node after node */

    /* The recorded program, as typed, borrowed; words NULL: none. */
    const char *words, *graph_name, *config;
    struct tool_list catalogues;
    struct profile *profile; /* owned; NULL: words are a graph */
    struct mapcore_graph *graph;
    double explained; /* share of the bytes that the found grid explains;
                         negative: the grid was given */
    uint32_t *at;     /* [cells], owned: the rank in each cell of the grid that
                         was found, MAPCORE_NONE for none; NULL: by rank */
    struct {
        bool is_there;
        uint64_t on_node; /* bytes of pairs on one node */
        uint32_t block[MAPCORE_BLOCKS_DIMS];
    } order[GRID_ORDERS];
    enum grid_rank_order chosen; /* GRID_GIVEN, or GRID_BEST, or GRID_SMP where
                                    no block keeps more bytes on nodes */
};

/* Opens the profile, or the graph, that words mean; without a grid finds its,
 * the last dimension being the fastest, in any order of its ranks; then
 * tries every block of at most per tasks that could not be larger in any
 * dimension, whether or not it divides the grid, and of these only blocks of
 * per tasks where all would be too much work. per 0: as recorded. Errors:
 * those of profile_select and reading and of mapcore_blocks_check; ENOENT (no
 * grid in it); EINVAL (another number of tasks, more than MAPCORE_BLOCKS_DIMS
 * dimensions). Time O(blocks * (tasks + edges)). */
int grid_order_advise(struct grid_order *order, struct mapcore_error *err);
void grid_order_clear(struct grid_order *order);

#endif
