/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect.c - a multilevel bisection from coarsening to refinement */
#include "config.h"

#include "map/bisection/bisect.h"

#include <string.h>

/* Coarsening ends at these vertices, or when less than a twentieth
 * goes; no vertex becomes larger than this share of all. On the bench's
 * instances 60 vertices gave 2 to 4% more hop-bytes than 120 in the same time.
 */
#define COARSEST 120
#define LARGEST  20

void bisect_clear(struct bisect *bisect)
{
    arena_clear(&bisect->kept);
    arena_clear(&bisect->graphs);
    arena_clear(&bisect->coarser);
}

int bisect_begin(struct bisect *bisect,
                 uint32_t n,
                 size_t nedges,
                 struct mapcore_error *err)
{
    bisect->kept.err = bisect->graphs.err = bisect->coarser.err = err;
    arena_clear(&bisect->coarser);
    arena_clear(&bisect->graphs);
    bisect->graph = bisect_level_make(n, nedges, &bisect->graphs);
    bisect->best = arena_alloc(&bisect->graphs, n, sizeof(*bisect->best));
    bisect->chosen = arena_alloc(&bisect->graphs, n, sizeof(*bisect->chosen));
    return bisect->graphs.error;
}

static uint64_t size_of_side0(const struct bisect_level *level)
{
    uint64_t size = 0;

    for (uint32_t v = 0; v < level->n; v++)
        if (level->side[v] == 0)
            size += level->size[v];
    return size;
}

/* Grows side 0 from a vertex along edges, by the gain of moves, until it has
 * half way between low and high: refinement from "all on side 1" does just
 * that. Vertices of another component come when bounds ask for them. */
static void grow(struct bisect *bisect,
                 struct bisect_level *level,
                 const struct bisect_gains_bounds *bounds,
                 struct rng *rng)
{
    uint64_t size = 0, enough = bounds->low + (bounds->high - bounds->low) / 2;
    uint32_t *queue = bisect->gains.moved, head = 0, tail = 0;

    memset(level->side, 1, level->n);
    while (size < enough) {
        uint32_t v;

        if (head == tail) {
            v = rng_below(rng, level->n);
            while (level->side[v] == 0)
                v = v + 1 < level->n ? v + 1 : 0;
            level->side[v] = 0;
            size += level->size[v];
            queue[tail++] = v;
            continue;
        }
        v = queue[head++];
        for (size_t k = level->row[v]; k < level->row[v + 1]; k++) {
            uint32_t u = level->vertex[k];

            if (level->side[u] == 0 || size >= enough)
                continue;
            level->side[u] = 0;
            size += level->size[u];
            queue[tail++] = u;
        }
    }
}

/* By bias alone: what likes side 0 most goes there. Only a start. */
static void lean(struct bisect_level *level)
{
    for (uint32_t v = 0; v < level->n; v++)
        level->side[v] = level->bias[v] < 0;
}

/* How far side 0 is out of bounds with the spill. */
static uint64_t misfit(const struct bisect_level *level,
                       const struct bisect_gains_bounds *bounds)
{
    uint64_t size = size_of_side0(level);

    if (size + bounds->spill < bounds->low)
        return bounds->low - bounds->spill - size;
    return size > bounds->high + bounds->spill
               ? size - bounds->spill - bounds->high
               : 0;
}

/* Notes a cut of level in best[], where it is better than *least and *cost. */
static void keep_best(uint8_t *best,
                      uint64_t *least,
                      int64_t *cost,
                      const struct bisect_level *level,
                      const struct bisect_gains_bounds *bounds)
{
    uint64_t out = misfit(level, bounds);
    int64_t found = bisect_level_cost(level);

    if (out > *least || (out == *least && found >= *cost))
        return;
    *least = out;
    *cost = found;
    memcpy(best, level->side, level->n);
}

/* The best of some cuts of the coarsest level. */
static void first_cut(struct bisect *bisect,
                      struct bisect_level *level,
                      const struct bisect_gains_bounds *bounds,
                      const struct bisect_task *task,
                      struct rng *rng)
{
    uint64_t least = UINT64_MAX;
    int64_t cost = INT64_MAX;

    for (uint32_t i = 0; i <= task->tries; i++) {
        if (i == 0)
            lean(level);
        else
            grow(bisect, level, bounds, rng);
        bisect_gains_refine(&bisect->gains, level, bounds, &task->effort);
        keep_best(bisect->best, &least, &cost, level, bounds);
    }
    memcpy(level->side, bisect->best, level->n);
}

static void set_bounds(struct bisect_gains_bounds *bounds,
                       const struct bisect_task *task,
                       const struct bisect_level *level)
{
    uint32_t largest = 0;

    for (uint32_t v = 0; v < level->n; v++)
        largest = level->size[v] > largest ? level->size[v] : largest;
    *bounds = (struct bisect_gains_bounds){.low = task->low,
                                           .high = task->high,
                                           .slack = largest,
                                           .spill = largest > 1 ? largest : 0};
}

/* Level by level until few vertices are left; NULL without memory. */
static struct bisect_level *coarsen(struct bisect *bisect,
                                    const struct bisect_task *task,
                                    struct rng *rng,
                                    const struct map_deadline *deadline)
{
    struct bisect_coarsening how = {.keeps = task->keeps,
                                    .by_clusters = task->by_clusters};
    struct bisect_level *top = bisect->graph;
    uint64_t size = 0;

    arena_clear(&bisect->coarser);
    for (uint32_t v = 0; v < top->n; v++)
        size += top->size[v];
    how.largest = (uint32_t)(size / LARGEST + 1);
    while (top && top->n > COARSEST && !map_deadline_passed(deadline)) {
        uint32_t before = top->n;

        top = bisect_coarsen(top, &how, rng, &bisect->coarser);
        if (top && top->n > before - before / 20)
            break;
    }
    return top;
}

/* One cut, from coarsening to the bounds, which are set. */
static int run_once(struct bisect *bisect,
                    bool *timed_out,
                    struct bisect_gains_bounds *bounds,
                    const struct bisect_task *task,
                    struct rng *rng,
                    const struct map_deadline *deadline)
{
    struct bisect_level *above = NULL,
                        *level = coarsen(bisect, task, rng, deadline);

    if (!level)
        return MAPCORE_ENOMEM;
    for (; level; above = level, level = level->finer) {
        if ((*timed_out = map_deadline_passed(deadline)))
            return 0;
        set_bounds(bounds, task, level);
        for (uint32_t v = 0; above && v < level->n; v++)
            level->side[v] = above->side[level->coarse[v]];
        if (!above && !task->keeps)
            first_cut(bisect, level, bounds, task, rng);
        else
            bisect_gains_refine(&bisect->gains, level, bounds, &task->effort);
    }
    /* Straight into bounds, if straying did not end there. */
    bounds->slack = 0;
    if (misfit(bisect->graph, bounds) > 0)
        bisect_gains_refine(&bisect->gains, bisect->graph, bounds,
                            &task->effort);
    return 0;
}

int bisect_run(struct bisect *bisect,
               bool *timed_out,
               const struct bisect_task *task,
               struct rng *rng,
               const struct map_deadline *deadline,
               struct mapcore_error *err)
{
    const struct bisect_task draft = {.low = task->low,
                                      .high = task->high,
                                      .tries = 1,
                                      .by_clusters = true,
                                      .effort = BISECT_QUICK};
    struct bisect_task whole = *task;
    struct bisect_level *graph = bisect->graph;
    struct bisect_gains_bounds bounds;
    uint64_t least = UINT64_MAX;
    int64_t cost = INT64_MAX;

    bisect->kept.err = bisect->coarser.err = err;
    if (bisect_gains_reserve(&bisect->gains, graph->n, &bisect->kept) < 0)
        return MAPCORE_ENOMEM;
    for (uint32_t i = 0; i < task->drafts; i++) {
        int error = run_once(bisect, timed_out, &bounds, &draft, rng, deadline);

        if (error < 0 || *timed_out)
            return error;
        keep_best(bisect->chosen, &least, &cost, graph, &bounds);
    }
    if (task->drafts > 0) {
        memcpy(graph->side, bisect->chosen, graph->n);
        whole.keeps = true;
    }
    return run_once(bisect, timed_out, &bounds, &whole, rng, deadline);
}
