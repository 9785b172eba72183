/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_advice.c - the orders of a grid's ranks, by the bytes that stay on nodes
 */
#include "config.h"

#include "tools/grid/grid_advice.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

/* Seconds, rather than minutes, of going over tasks and edges. */
#define WORK_MOST ((uint64_t)4 << 30)

struct advising {
    const struct mapcore_graph *graph;
    const uint32_t *at;
    uint32_t per, ncells;
    struct mapcore_blocks layout; /* with the block that is tried */
    uint32_t *cell;               /* [ncells] in the order of blocks */
    uint32_t *node;               /* [ntasks] */
    struct grid_advice *out;
};

const char *grid_order_name(enum grid_rank_order order)
{
    static const char *const names[] = {"smp", "round-robin", "folded", "block",
                                        "best-block"};

    return names[order];
}

static uint64_t bytes_on_nodes(const struct advising *advising)
{
    const uint32_t *node = advising->node;
    uint64_t sum = 0;

    for (uint32_t t = 0; t < advising->out->ntasks; t++) {
        const uint32_t *task;
        const uint64_t *bytes;
        size_t n = mapcore_graph_neighbours(advising->graph, t, &task, &bytes);

        for (size_t i = 0; i < n; i++)
            if (task[i] > t && node[task[i]] == node[t])
                sum += bytes[i];
    }
    return sum;
}

/* Cray's own orders (Fiedler and Whalen, CUG 2013, section II.B). */
static void try_plain(struct advising *advising, enum grid_rank_order order)
{
    struct grid_advice *out = advising->out;
    uint32_t n = out->nnodes;

    for (uint32_t r = 0; r < out->ntasks; r++)
        switch (order) {
        case GRID_ROUND_ROBIN:
            advising->node[r] = r % n;
            break;
        case GRID_FOLDED:
            advising->node[r] = r / n % 2 ? n - 1 - r % n : r % n;
            break;
        case GRID_SMP:
        case GRID_GIVEN:
        case GRID_BEST:
        case GRID_ORDERS:
            advising->node[r] = r / advising->per;
            break;
        }
    out->order[order].is_there = true;
    out->order[order].on_node = bytes_on_nodes(advising);
}

/* The ranks in the order of the block at hand, node after node, into rank or,
 * without, the node of each. */
static void deal(const struct advising *advising, uint32_t *rank)
{
    uint32_t next = 0;

    mapcore_blocks_order(advising->cell, &advising->layout);
    for (uint32_t i = 0; i < advising->ncells; i++) {
        uint32_t cell = advising->cell[i];
        uint32_t r = advising->at ? advising->at[cell] : cell;

        if (r == MAPCORE_NONE)
            continue;
        if (rank)
            rank[next] = r;
        else
            advising->node[r] = next / advising->per;
        next++;
    }
}

static void try_block(struct advising *advising, enum grid_rank_order order)
{
    struct grid_advice *out = advising->out;
    uint64_t bytes;

    deal(advising, NULL);
    bytes = bytes_on_nodes(advising);
    if (out->order[order].is_there && out->order[order].on_node >= bytes)
        return;
    out->order[order].is_there = true;
    out->order[order].on_node = bytes;
    memcpy(out->order[order].block, advising->layout.block,
           sizeof(out->order[order].block));
}

/* Which blocks are meant, the ones that are preferred among equals first. */
enum blocks { DIVIDING, WHOLE, LARGEST };

static bool is_meant(const struct advising *advising,
                     enum blocks which,
                     uint32_t product)
{
    const struct mapcore_blocks *layout = &advising->layout;
    bool divides = product == advising->per;

    for (uint32_t i = 0; i < layout->ndims; i++) {
        if (layout->grid[i] % layout->block[i] != 0)
            divides = false;
        if (layout->block[i] < layout->grid[i] &&
            product / layout->block[i] * (layout->block[i] + 1) <=
                advising->per)
            return false;
    }
    return which == DIVIDING ? divides
           : which == WHOLE  ? product == advising->per && !divides
                             : product < advising->per;
}

/* Tries, or only counts, all blocks of a kind from dimension i on. */
static uint64_t try_blocks(struct advising *advising,
                           enum blocks which,
                           uint32_t i,
                           uint32_t product,
                           bool only_counts)
{
    struct mapcore_blocks *layout = &advising->layout;
    uint64_t n = 0;

    if (i == layout->ndims) {
        if (!is_meant(advising, which, product))
            return 0;
        if (!only_counts)
            try_block(advising, GRID_BEST);
        return 1;
    }
    for (uint32_t b = 1; b <= layout->grid[i] && b <= advising->per / product;
         b++) {
        if (which != LARGEST && advising->per / product % b != 0)
            continue;
        layout->block[i] = b;
        n += try_blocks(advising, which, i + 1, product * b, only_counts);
    }
    return n;
}

static void choose(struct advising *advising, bool is_given)
{
    struct grid_advice *out = advising->out;
    uint64_t each = (uint64_t)advising->ncells + out->ntasks +
                    2 * mapcore_graph_nedges(advising->graph);

    for (int order = GRID_SMP; order <= GRID_FOLDED; order++)
        try_plain(advising, (enum grid_rank_order)order);
    if (is_given)
        try_block(advising, GRID_GIVEN);
    try_blocks(advising, DIVIDING, 0, 1, false);
    try_blocks(advising, WHOLE, 0, 1, false);
    if (!out->order[GRID_BEST].is_there ||
        try_blocks(advising, LARGEST, 0, 1, true) < WORK_MOST / each)
        try_blocks(advising, LARGEST, 0, 1, false);
    out->chosen = is_given ? GRID_GIVEN
                  : out->order[GRID_BEST].on_node > out->order[GRID_SMP].on_node
                      ? GRID_BEST
                      : GRID_SMP;
}

static void write_ranks(struct advising *advising)
{
    struct grid_advice *out = advising->out;

    if (out->chosen == GRID_SMP) {
        for (uint32_t r = 0; r < out->ntasks; r++)
            out->rank[r] = r;
        return;
    }
    memcpy(advising->layout.block, out->order[out->chosen].block,
           sizeof(advising->layout.block));
    deal(advising, out->rank);
}

int grid_advise(struct grid_advice *out,
                const struct grid_subject *subject,
                const struct mapcore_blocks *layout,
                uint32_t per,
                bool is_given,
                struct mapcore_error *err)
{
    const struct mapcore_graph *graph = subject->graph;
    struct grid_advice made = {.ntasks = mapcore_graph_ntasks(graph),
                               .bytes = mapcore_graph_bytes(graph)};
    struct advising advising = {.graph = graph,
                                .at = subject->at,
                                .per = per,
                                .ncells = 1,
                                .layout = *layout,
                                .out = &made};
    int error;

    advising.layout.clips = true;
    for (uint32_t i = 0; !is_given && i < layout->ndims; i++)
        advising.layout.block[i] = 1;
    if ((error = mapcore_blocks_check(NULL, NULL, &advising.layout, err)) < 0)
        return error;
    for (uint32_t i = 0; i < layout->ndims; i++)
        advising.ncells *= layout->grid[i];
    made.nnodes = (made.ntasks - 1) / per + 1;
    made.rank = array_alloc(made.ntasks, sizeof(*made.rank), err);
    advising.cell = array_alloc(advising.ncells, sizeof(*advising.cell), err);
    advising.node = array_alloc(made.ntasks, sizeof(*advising.node), err);
    error = made.rank && advising.cell && advising.node ? 0 : MAPCORE_ENOMEM;
    if (error == 0) {
        choose(&advising, is_given);
        write_ranks(&advising);
        *out = made;
        made.rank = NULL;
    }
    free(made.rank);
    free(advising.cell);
    free(advising.node);
    return error;
}
