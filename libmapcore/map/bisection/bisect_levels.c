/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_levels.c - memory for the graphs of a multilevel bisection, and the
 * cost of their cuts */
#include "config.h"

#include "map/bisection/bisect_levels.h"

#include "base/array.h"

#include <stdlib.h>

/* What the weights of all edges, each once, may add up to. */
#define MAX_EDGE_WEIGHT ((uint64_t)1 << 30)

unsigned bisect_weight_shift(uint64_t bytes, uint64_t nedges)
{
    unsigned shift = 0;

    while (shift < 63 && (bytes >> shift) + nedges > MAX_EDGE_WEIGHT)
        shift++;
    return shift;
}

void bisect_levels_clear(struct bisect_levels *levels)
{
    for (size_t i = 0; i < levels->n; i++) {
        struct bisect_level *level = &levels->level[i];

        free(level->row);
        free(level->vertex);
        free(level->weight);
        free(level->size);
        free(level->bias);
        free(level->side);
        free(level->coarse);
    }
    free(levels->level);
    free(levels->mark);
    *levels = (struct bisect_levels){0};
}

static int reserve(struct bisect_level *level,
                   uint32_t n,
                   size_t nedges,
                   struct mapcore_error *err)
{
    int error;

    if ((error = array_reserve(&level->row, &level->row_capacity, (size_t)n + 1,
                               sizeof(*level->row), err)) < 0 ||
        (error = array_reserve(&level->vertex, &level->vertex_capacity, nedges,
                               sizeof(*level->vertex), err)) < 0 ||
        (error = array_reserve(&level->weight, &level->weight_capacity, nedges,
                               sizeof(*level->weight), err)) < 0 ||
        (error = array_reserve(&level->size, &level->size_capacity, n,
                               sizeof(*level->size), err)) < 0 ||
        (error = array_reserve(&level->bias, &level->bias_capacity, n,
                               sizeof(*level->bias), err)) < 0 ||
        (error = array_reserve(&level->side, &level->side_capacity, n,
                               sizeof(*level->side), err)) < 0 ||
        (error = array_reserve(&level->coarse, &level->coarse_capacity, n,
                               sizeof(*level->coarse), err)) < 0)
        return error;
    level->n = n;
    return 0;
}

int bisect_levels_reserve(struct bisect_levels *levels,
                          size_t index,
                          uint32_t n,
                          size_t nedges,
                          struct mapcore_error *err)
{
    int error = array_reserve(&levels->level, &levels->capacity, index + 1,
                              sizeof(*levels->level), err);

    if (error < 0)
        return error;
    while (levels->n <= index)
        levels->level[levels->n++] = (struct bisect_level){0};
    return reserve(&levels->level[index], n, nedges, err);
}

int64_t bisect_level_cost(const struct bisect_level *level)
{
    int64_t cost = 0, twice = 0;

    for (uint32_t v = 0; v < level->n; v++) {
        if (level->side[v])
            cost += level->bias[v];
        for (size_t k = level->row[v]; k < level->row[v + 1]; k++)
            if (level->side[level->vertex[k]] != level->side[v])
                twice += level->weight[k];
    }
    return cost + twice / 2;
}
