/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_order.c - the orders of a recorded grid's ranks, by the bytes that stay
 * on nodes */
#include "config.h"

#include "tools/grid/grid_order.h"

#include "base/array.h"
#include "grid/find/grid_find.h"
#include "tools/inputs/graphs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Seconds, rather than minutes, of going over tasks and edges. */
#define WORK_MOST ((uint64_t)4 << 30)

/* The graph; of a profile the bytes as they were recorded. */
static int open_graph(struct grid_order *order, struct mapcore_error *err)
{
    struct graph_source source = {.path = order->words,
                                  .name = order->graph_name,
                                  .catalogues = &order->catalogues,
                                  .config = order->config};
    char *folder = NULL;
    int error = graphs_find_profile(&folder, &source, err);

    if (error == 0 && folder) {
        source.path = folder;
        source.name = source.name ? source.name : "all";
        error = profile_read(&order->profile, folder, err);
    }
    if (error == 0)
        error = graphs_open(&order->graph, &source, err);
    free(folder);
    return error;
}

/* The grid in the order of people: the last dimension runs fastest. */
static int take_grid(struct grid_order *order,
                     const struct mapcore_grid *grid,
                     struct mapcore_error *err)
{
    struct mapcore_blocks *layout = &order->layout;
    uint32_t n = grid->ndims, ncells = 1;

    if (n > MAPCORE_BLOCKS_DIMS)
        return error_set(
            err, MAPCORE_EINVAL,
            "the grid that was found has %u dimensions: there may be %d", n,
            MAPCORE_BLOCKS_DIMS);
    layout->ndims = n;
    layout->first_fastest = false;
    for (uint32_t i = 0; i < n; i++) {
        layout->grid[i] = grid->dims[n - 1 - i];
        if (__builtin_mul_overflow(ncells, layout->grid[i], &ncells) ||
            ncells > INT32_MAX)
            return error_set(err, MAPCORE_ERANGE,
                             "a grid of more than %d tasks", INT32_MAX);
    }
    order->explained =
        grid->total > 0 ? (double)grid->explained / (double)grid->total : 0;
    order->at = array_alloc(ncells, sizeof(*order->at), err);
    if (!order->at)
        return MAPCORE_ENOMEM;
    for (uint32_t c = 0; c < ncells; c++)
        order->at[c] = MAPCORE_NONE;
    for (uint32_t t = 0; t < grid->ntasks; t++) {
        uint32_t cell = 0;

        for (uint32_t i = n; i > 0; i--)
            cell = cell * grid->dims[i - 1] +
                   grid->coordinates[(size_t)t * n + i - 1];
        order->at[cell] = t;
    }
    return 0;
}

static int open_grid(struct grid_order *order, struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &order->layout;
    struct mapcore_grid *grid = NULL;
    uint64_t cells = 1;
    int error;

    order->explained = -1;
    order->ntasks = mapcore_graph_ntasks(order->graph);
    for (uint32_t i = 0; i < layout->ndims && cells <= INT32_MAX; i++)
        cells *= layout->grid[i];
    if (layout->ndims > 0 && cells != order->ntasks)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %" PRIu64 " tasks, but %.200s has %u",
                         cells, order->words, order->ntasks);
    if (layout->ndims > 0)
        return 0;
    if ((error = mapcore_grid_find(&grid, order->graph, err)) == 0)
        error = take_grid(order, grid, err);
    mapcore_grid_destroy(grid);
    return error;
}

/* Tasks of a node: what was said, or the block has, or was recorded. */
static int find_per_node(struct grid_order *order, struct mapcore_error *err)
{
    const struct profile *profile = order->profile;

    if (order->nblock > 0 && order->nblock != order->layout.ndims)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %u dimensions, but a block of %u",
                         order->layout.ndims, order->nblock);
    if (order->nblock > 0)
        return mapcore_blocks_check(NULL, &order->per, &order->layout, err);
    if (order->per == 0 && profile && profile->hosts > 0)
        order->per = (profile->ntasks - 1) / profile->hosts + 1;
    if (order->per > 0)
        return 0;
    return error_set(err, MAPCORE_EINVAL,
                     "on how many nodes it ran was not recorded: "
                     "--tasks-per-node says how many tasks each has");
}

struct advising {
    struct grid_order *order;
    uint32_t ncells;
    struct mapcore_blocks layout; /* with the block that is tried */
    bool only_whole;              /* blocks of per tasks */
    bool only_counts;
    int best;       /* the kind of the best block */
    uint32_t *cell; /* [ncells] in the order of blocks */
    uint32_t *node; /* [ntasks] */
};

static uint64_t bytes_on_nodes(const struct advising *advising)
{
    const uint32_t *node = advising->node;
    uint64_t sum = 0;

    for (uint32_t t = 0; t < advising->order->ntasks; t++) {
        const uint32_t *task;
        const uint64_t *bytes;
        size_t n =
            mapcore_graph_neighbours(advising->order->graph, t, &task, &bytes);

        for (size_t i = 0; i < n; i++)
            if (task[i] > t && node[task[i]] == node[t])
                sum += bytes[i];
    }
    return sum;
}

/* Cray's own orders (Fiedler and Whalen, CUG 2013, section II.B). */
static void try_plain(struct advising *advising)
{
    struct grid_order *order = advising->order;
    uint32_t n = (order->ntasks - 1) / order->per + 1;

    for (int which = GRID_SMP; which <= GRID_FOLDED; which++) {
        for (uint32_t r = 0; r < order->ntasks; r++)
            advising->node[r] = which == GRID_SMP ? r / order->per
                                : which == GRID_FOLDED && r / n % 2 == 1
                                    ? n - 1 - r % n
                                    : r % n;
        order->order[which].is_there = true;
        order->order[which].on_node = bytes_on_nodes(advising);
    }
}

/* The ranks in the order of the block at hand, node after node, into rank or,
 * without, the node of each. */
static void deal(const struct advising *advising, uint32_t *rank)
{
    const struct grid_order *order = advising->order;
    uint32_t next = 0;

    mapcore_blocks_order(advising->cell, &advising->layout);
    for (uint32_t i = 0; i < advising->ncells; i++) {
        uint32_t cell = advising->cell[i];
        uint32_t r = order->at ? order->at[cell] : cell;

        if (r == MAPCORE_NONE)
            continue;
        if (rank)
            rank[next] = r;
        else
            advising->node[r] = next / order->per;
        next++;
    }
}

/* Which blocks are preferred among equals. */
enum { DIVIDING, WHOLE, LARGEST };

static void try_block(struct advising *advising,
                      enum grid_rank_order which,
                      int kind)
{
    struct grid_order *order = advising->order;
    uint64_t bytes;

    deal(advising, NULL);
    bytes = bytes_on_nodes(advising);
    if (order->order[which].is_there &&
        (order->order[which].on_node > bytes ||
         (order->order[which].on_node == bytes && advising->best <= kind)))
        return;
    advising->best = kind;
    order->order[which].is_there = true;
    order->order[which].on_node = bytes;
    memcpy(order->order[which].block, advising->layout.block,
           sizeof(order->order[which].block));
}

/* Tries, or only counts, all blocks from dimension i on that could not be
 * larger in any. */
static uint64_t try_blocks(struct advising *advising,
                           uint32_t i,
                           uint32_t product)
{
    struct mapcore_blocks *layout = &advising->layout;
    uint32_t per = advising->order->per;
    int kind = product < per ? LARGEST : DIVIDING;
    uint64_t n = 0;

    if (i < layout->ndims) {
        for (uint32_t b = 1; b <= layout->grid[i] && b <= per / product; b++) {
            layout->block[i] = b;
            if (!advising->only_whole || per / product % b == 0)
                n += try_blocks(advising, i + 1, product * b);
        }
        return n;
    }
    for (uint32_t k = 0; k < layout->ndims; k++) {
        uint32_t block = layout->block[k];

        if (kind == DIVIDING && layout->grid[k] % block != 0)
            kind = WHOLE;
        if (block < layout->grid[k] && product / block * (block + 1) <= per)
            return 0;
    }
    if (advising->only_counts)
        return kind == LARGEST;
    if (kind != LARGEST || !advising->only_whole)
        try_block(advising, GRID_BEST, kind);
    return 1;
}

static void choose(struct advising *advising)
{
    struct grid_order *order = advising->order;
    uint64_t each = (uint64_t)advising->ncells + order->ntasks +
                    2 * mapcore_graph_nedges(order->graph);
    uint64_t most = WORK_MOST / each;

    try_plain(advising);
    if (order->nblock > 0)
        try_block(advising, GRID_GIVEN, DIVIDING);
    advising->only_counts = true;
    advising->only_whole = try_blocks(advising, 0, 1) >= most;
    advising->only_counts = false;
    try_blocks(advising, 0, 1);
    if (!order->order[GRID_BEST].is_there) {
        advising->only_whole = false;
        try_blocks(advising, 0, 1);
    }
    order->chosen =
        order->nblock > 0 ? GRID_GIVEN
        : order->order[GRID_BEST].on_node > order->order[GRID_SMP].on_node
            ? GRID_BEST
            : GRID_SMP;
    for (uint32_t r = 0; r < order->ntasks; r++)
        order->rank[r] = r;
    memcpy(advising->layout.block, order->order[order->chosen].block,
           sizeof(advising->layout.block));
    if (order->chosen != GRID_SMP)
        deal(advising, order->rank);
}

int grid_order_advise(struct grid_order *order, struct mapcore_error *err)
{
    struct advising advising = {.order = order, .ncells = 1};
    int error;

    if ((error = open_graph(order, err)) < 0 ||
        (error = open_grid(order, err)) < 0 ||
        (error = find_per_node(order, err)) < 0)
        return error;
    advising.layout = order->layout;
    for (uint32_t i = 0; i < order->layout.ndims; i++) {
        if (order->nblock == 0)
            advising.layout.block[i] = 1;
        advising.ncells *= order->layout.grid[i];
    }
    if ((error = mapcore_blocks_check(NULL, NULL, &advising.layout, err)) < 0)
        return error;
    order->rank = array_alloc(order->ntasks, sizeof(*order->rank), err);
    advising.cell = array_alloc(advising.ncells, sizeof(*advising.cell), err);
    advising.node = array_alloc(order->ntasks, sizeof(*advising.node), err);
    error = order->rank && advising.cell && advising.node ? 0 : MAPCORE_ENOMEM;
    if (error == 0)
        choose(&advising);
    free(advising.cell);
    free(advising.node);
    return error;
}

void grid_order_clear(struct grid_order *order)
{
    free(order->rank);
    free(order->at);
    mapcore_graph_destroy(order->graph);
    profile_destroy(order->profile);
    free(order->catalogues.item);
}
