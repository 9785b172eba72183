/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect.c - a multilevel bisection from coarsening to refinement */
#include "config.h"

#include "map/bisection/bisect.h"

#include "base/array.h"
#include "map/bisection/bisect_coarsen.h"
#include "map/bisection/bisect_gains.h"

#include <stdlib.h>
#include <string.h>

/* Coarsening ends at so many vertices, or when less than a twentieth goes; no
 * vertex becomes larger than this share of all. On the bench's instances 60
 * vertices gave 2 to 4% more hop-bytes than 120 in the same time. */
#define COARSEST 120
#define LARGEST  20

int bisect_create(struct bisect **out, struct mapcore_error *err)
{
    struct bisect *bisect = array_alloc(1, sizeof(*bisect), err);
    int error;

    if (!bisect)
        return MAPCORE_ENOMEM;
    if ((error = bisect_gains_create(&bisect->gains, err)) < 0) {
        bisect_destroy(bisect);
        return error;
    }
    *out = bisect;
    return 0;
}

void bisect_destroy(struct bisect *bisect)
{
    if (!bisect)
        return;
    bisect_levels_clear(&bisect->levels);
    bisect_gains_destroy(bisect->gains);
    free(bisect->best);
    free(bisect);
}

int bisect_reserve(struct bisect *bisect,
                   uint32_t n,
                   size_t nedges,
                   struct mapcore_error *err)
{
    return bisect_levels_reserve(&bisect->levels, 0, n, nedges, err);
}

struct bisect_level *bisect_graph(struct bisect *bisect)
{
    return &bisect->levels.level[0];
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
    uint32_t *queue = bisect->gains->moved, head = 0, tail = 0;

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

/* The best of some cuts of the coarsest level. */
static void first_cut(struct bisect *bisect,
                      struct bisect_level *level,
                      const struct bisect_gains_bounds *bounds,
                      const struct bisect_task *task,
                      struct rng *rng)
{
    uint64_t best_misfit = UINT64_MAX;
    int64_t best = INT64_MAX;

    for (uint32_t i = 0; i <= task->tries; i++) {
        uint64_t out;
        int64_t cost;

        if (i == 0)
            lean(level);
        else
            grow(bisect, level, bounds, rng);
        bisect_gains_refine(bisect->gains, level, bounds, &task->effort);
        out = misfit(level, bounds);
        cost = bisect_level_cost(level);
        if (out < best_misfit || (out == best_misfit && cost < best)) {
            best_misfit = out;
            best = cost;
            memcpy(bisect->best, level->side, level->n);
        }
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

/* Level by level until few vertices are left; *top is the last. */
static int coarsen(struct bisect *bisect,
                   size_t *top,
                   const struct bisect_task *task,
                   struct rng *rng,
                   const struct map_deadline *deadline,
                   struct mapcore_error *err)
{
    struct bisect_coarsening how = {.keeps = task->keeps,
                                    .by_clusters = task->by_clusters};
    uint64_t size = 0;
    int error;

    for (uint32_t v = 0; v < bisect->levels.level[0].n; v++)
        size += bisect->levels.level[0].size[v];
    how.largest = (uint32_t)(size / LARGEST + 1);
    for (*top = 0; bisect->levels.level[*top].n > COARSEST; ++*top) {
        uint32_t before = bisect->levels.level[*top].n;

        if (map_deadline_passed(deadline))
            return 0;
        error = bisect_coarsen(&bisect->levels, *top, &how, rng, err);
        if (error < 0)
            return error;
        if (bisect->levels.level[*top + 1].n > before - before / 20)
            return 0;
    }
    return 0;
}

int bisect_run(struct bisect *bisect,
               bool *timed_out,
               const struct bisect_task *task,
               struct rng *rng,
               const struct map_deadline *deadline,
               struct mapcore_error *err)
{
    uint32_t n = bisect->levels.level[0].n;
    struct bisect_gains_bounds bounds;
    size_t top;
    int error;

    if ((error = array_reserve(&bisect->best, &bisect->best_capacity, n,
                               sizeof(*bisect->best), err)) < 0 ||
        (error = bisect_gains_reserve(bisect->gains, n, err)) < 0 ||
        (error = coarsen(bisect, &top, task, rng, deadline, err)) < 0)
        return error;
    for (size_t i = top + 1; i-- > 0;) {
        struct bisect_level *level = &bisect->levels.level[i];

        if ((*timed_out = map_deadline_passed(deadline)))
            return 0;
        set_bounds(&bounds, task, level);
        if (i < top)
            for (uint32_t v = 0; v < level->n; v++)
                level->side[v] = level[1].side[level->coarse[v]];
        if (i == top && !task->keeps)
            first_cut(bisect, level, &bounds, task, rng);
        else
            bisect_gains_refine(bisect->gains, level, &bounds, &task->effort);
    }
    /* Straight into bounds, if straying did not end there. */
    bounds.slack = 0;
    if (misfit(&bisect->levels.level[0], &bounds) > 0)
        bisect_gains_refine(bisect->gains, &bisect->levels.level[0], &bounds,
                            &task->effort);
    return 0;
}
