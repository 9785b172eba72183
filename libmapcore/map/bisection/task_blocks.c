/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_blocks.c - tasks paired again and again until each block fits a place */
#include "config.h"

#include "map/bisection/rb.h"

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
static struct bisect_level *take_tasks(const struct mapcore_graph *graph,
                                       uint32_t unit,
                                       struct arena *arena)
{
    uint32_t n = (graph->ntasks + unit - 1) / unit * unit;
    size_t nedges = graph->row[graph->ntasks];
    unsigned shift = bisect_weight_shift(graph->total, nedges / 2);
    uint64_t rounding = ((uint64_t)1 << shift) - 1;
    struct bisect_level *level = bisect_level_make(n, nedges, arena);

    if (!level)
        return NULL;
    for (uint32_t t = 0; t <= n; t++)
        level->row[t] = t < graph->ntasks ? graph->row[t] : nedges;
    for (uint32_t t = 0; t < n; t++)
        level->size[t] = 1;
    memcpy(level->vertex, graph->task, nedges * sizeof(*level->vertex));
    for (size_t k = 0; k < nedges; k++)
        level->weight[k] = (uint32_t)((graph->bytes[k] + rounding) >> shift);
    return level;
}

int task_blocks_make(struct task_blocks *out,
                     bool *timed_out,
                     const struct mapcore_graph *graph,
                     uint32_t unit,
                     struct rng *rng,
                     const struct map_deadline *deadline,
                     struct arena *arena)
{
    struct bisect_coarsening how = {.largest = UINT32_MAX, .pairs_all = true};
    struct bisect_level *level = take_tasks(graph, unit, arena);
    size_t nedges;

    *timed_out = false;
    for (uint32_t size = 1; level && size < unit; size *= 2) {
        *timed_out = map_deadline_passed(deadline);
        if (*timed_out)
            return 0;
        level = bisect_coarsen(level, &how, rng, arena);
    }
    if (!level)
        return MAPCORE_ENOMEM;
    nedges = level->row[level->n];
    out->graph = (struct mapcore_graph){
        .ntasks = level->n,
        .row = level->row,
        .task = level->vertex,
        .bytes = arena_alloc(arena, nedges, sizeof(*out->graph.bytes)),
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (size_t k = 0; k < nedges; k++) {
        out->graph.bytes[k] = level->weight[k];
        out->graph.total += level->weight[k];
    }
    out->graph.total /= 2;
    /* The vertex of the last level that each one has become part of. */
    for (uint32_t v = 0; v < level->n; v++)
        level->coarse[v] = v;
    for (; level->finer; level = level->finer)
        for (uint32_t v = 0; v < level->finer->n; v++)
            level->finer->coarse[v] = level->coarse[level->finer->coarse[v]];
    out->block = level->coarse;
    return 0;
}
