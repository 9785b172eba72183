/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_advice.h - which block of a grid keeps most bytes on the nodes, beside
 * the orders that Cray's MPI has by itself */
#ifndef TOOLS_GRID_ADVICE_H
#define TOOLS_GRID_ADVICE_H

#include "tools/grid/grid_subject.h"

enum grid_rank_order {
    GRID_SMP,         /* ranks in a row: MPICH_RANK_REORDER_METHOD=1 */
    GRID_ROUND_ROBIN, /* dealt one by one: 0 */
    GRID_FOLDED,      /* there and back: 2 */
    GRID_GIVEN,       /* by the block that was asked for */
    GRID_BEST,        /* by the best block that was found */
    GRID_ORDERS,
};

struct grid_advice {
    uint32_t ntasks, nnodes;
    uint64_t bytes; /* of all pairs */
    struct {
        bool is_there;
        uint64_t on_node; /* bytes of pairs on one node */
        uint32_t block[MAPCORE_BLOCKS_DIMS];
    } order[GRID_ORDERS];
    enum grid_rank_order chosen; /* GRID_GIVEN, or GRID_BEST, or GRID_SMP where
                                    no block keeps more bytes on nodes */
    uint32_t *rank; /* [ntasks], owned: node after node in that order */
};

/* "smp", "round-robin", "folded", "block", "best-block". */
const char *grid_order_name(enum grid_rank_order order);

/* Every block of at most per tasks that could not be larger in any dimension,
 * whether or not it divides the grid, and of these only blocks of per tasks
 * where so many would be too much work. layout: grid and first_fastest, and,
 * when is_given, block. subject: is open. free(out->rank) is due after success.
 * Errors: those of mapcore_blocks_check, ENOMEM. Time O(blocks * (tasks +
 * edges)). */
int grid_advise(struct grid_advice *out,
                const struct grid_subject *subject,
                const struct mapcore_blocks *layout,
                uint32_t per,
                bool is_given,
                struct mapcore_error *err);

#endif
