/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_blocks.c - tasks paired again and again until each block fits a place */
#include "config.h"

#include "map/bisection/task_blocks.h"

#include "base/array.h"
#include "map/bisection/bisect_coarsen.h"

#include <stdlib.h>
#include <string.h>

uint32_t task_blocks_unit(const struct mapcore_alloc *alloc)
{
    uint32_t bits = 0;

    for (uint32_t h = 0; h < mapcore_alloc_nhosts(alloc); h++)
        bits |= mapcore_alloc_slots(alloc, h);
    return bits & ~(bits - 1);
}

/* The tasks, and vertices without edges that make their number a multiple of
 * unit. */
static int take_tasks(struct bisect_levels *levels,
                      const struct mapcore_graph *graph,
                      uint32_t unit,
                      struct mapcore_error *err)
{
    uint32_t n = (graph->ntasks + unit - 1) / unit * unit;
    size_t nedges = graph->row[graph->ntasks];
    unsigned shift = bisect_weight_shift(graph->total, nedges / 2);
    uint64_t rounding = ((uint64_t)1 << shift) - 1;
    struct bisect_level *level;
    int error = bisect_levels_reserve(levels, 0, n, nedges, err);

    if (error < 0)
        return error;
    level = &levels->level[0];
    for (uint32_t t = 0; t <= n; t++)
        level->row[t] = t < graph->ntasks ? graph->row[t] : nedges;
    for (uint32_t t = 0; t < n; t++)
        level->size[t] = 1;
    memset(level->bias, 0, n * sizeof(*level->bias));
    memset(level->side, 0, n);
    memcpy(level->vertex, graph->task, nedges * sizeof(*level->vertex));
    for (size_t k = 0; k < nedges; k++)
        level->weight[k] = (uint32_t)((graph->bytes[k] + rounding) >> shift);
    return 0;
}

static int take_graph(struct mapcore_graph *out,
                      const struct bisect_level *level,
                      struct mapcore_error *err)
{
    size_t nedges = level->row[level->n];

    out->ntasks = level->n;
    out->row =
        array_copy(level->row, (size_t)level->n + 1, sizeof(*out->row), err);
    out->task = array_copy(level->vertex, nedges, sizeof(*out->task), err);
    out->bytes = array_alloc(nedges, sizeof(*out->bytes), err);
    if (!out->row || !out->task || !out->bytes)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; k < nedges; k++) {
        out->bytes[k] = level->weight[k];
        out->total += level->weight[k];
    }
    out->total /= 2;
    return 0;
}

/* The vertex of the last level that each task has become part of. */
static int name_blocks(struct task_blocks *blocks,
                       const struct bisect_levels *levels,
                       uint32_t ntasks,
                       size_t top,
                       struct mapcore_error *err)
{
    blocks->block = array_alloc(ntasks, sizeof(*blocks->block), err);
    if (!blocks->block)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; t < ntasks; t++) {
        uint32_t v = t;

        for (size_t i = 0; i < top; i++)
            v = levels->level[i].coarse[v];
        blocks->block[t] = v;
    }
    return 0;
}

int task_blocks_create(struct task_blocks **out,
                       const struct mapcore_graph *graph,
                       uint32_t unit,
                       struct rng *rng,
                       const struct map_deadline *deadline,
                       struct mapcore_error *err)
{
    struct bisect_coarsening how = {.largest = UINT32_MAX, .pairs_all = true};
    struct task_blocks *blocks = array_alloc(1, sizeof(*blocks), err);
    struct bisect_levels levels = {0};
    size_t top = 0;
    int error;

    *out = NULL;
    if (!blocks)
        return MAPCORE_ENOMEM;
    error = take_tasks(&levels, graph, unit, err);
    for (uint32_t size = 1; error == 0 && size < unit; size *= 2, top++) {
        if (map_deadline_passed(deadline))
            goto out;
        error = bisect_coarsen(&levels, top, &how, rng, err);
    }
    if (error == 0)
        error = take_graph(&blocks->graph, &levels.level[top], err);
    if (error == 0)
        error = name_blocks(blocks, &levels, graph->ntasks, top, err);
    if (error == 0) {
        *out = blocks;
        blocks = NULL;
    }
out:
    bisect_levels_clear(&levels);
    task_blocks_destroy(blocks);
    return error;
}

void task_blocks_destroy(struct task_blocks *blocks)
{
    if (!blocks)
        return;
    free(blocks->graph.row);
    free(blocks->graph.task);
    free(blocks->graph.bytes);
    free(blocks->block);
    free(blocks);
}
