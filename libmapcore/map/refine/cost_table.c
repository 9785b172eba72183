/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cost_table.c - making a cost table, and keeping it true */
#include "config.h"

#include "map/refine/anneal.h"

#include "base/array.h"

#include <string.h>

/* What fits the nearest caches of a core. */
#define MOST_VERTICES 64
#define MOST_HOSTS    64
/* Four costs are added up, exact below 2^53. */
#define MOST_COST ((int64_t)1 << 50)

static bool is_exact(const struct region *region)
{
    size_t ndistances = (size_t)region->nhosts * region->ncolumns;
    int64_t longest = 1;

    for (size_t i = 0; i < ndistances; i++)
        if (region->distance[i] > longest)
            longest = region->distance[i];
    for (uint32_t t = 0; t < region->n; t++)
        if (region->bytes[t] > MOST_COST / longest)
            return false;
    return true;
}

struct cost_table *cost_table_make(const struct region *region,
                                   struct arena *arena)
{
    size_t n = region->n, stride = (region->nhosts + (size_t)COST_STRIDE - 1) /
                                   COST_STRIDE * COST_STRIDE;
    struct cost_table *table;

    if (n > MOST_VERTICES || region->nhosts > MOST_HOSTS || !is_exact(region) ||
        !(table = arena_alloc(arena, 1, sizeof(*table))))
        return NULL;
    *table = (struct cost_table){
        .n = region->n,
        .stride = (uint32_t)stride,
        .cost = arena_alloc(arena, n * stride, sizeof(double)),
        .distance = arena_alloc(arena, region->nhosts * stride, sizeof(double)),
        .way = arena_alloc(arena, stride, sizeof(double)),
        .bytes = arena_alloc(arena, n * n, sizeof(*table->bytes)),
    };
    if (arena->error)
        return NULL;
    for (uint32_t a = 0; a < region->nhosts; a++)
        for (uint32_t b = 0; b < region->nhosts; b++)
            table->distance[a * stride + b] =
                region->distance[(size_t)a * region->ncolumns + b];
    for (uint32_t t = 0; t < n; t++)
        for (uint32_t k = region->row[t]; k < region->row[t + 1]; k++)
            if (region->edge[k].to < n)
                table->bytes[t * n + region->edge[k].to] =
                    region->edge[k].bytes;
    return table;
}

/* As many at once as all processors have instructions for; the tables are
 * aligned as what malloc() gives is. */
typedef double pair __attribute__((vector_size(16)));

static inline void add(double *sum,
                       const double *way,
                       double bytes,
                       uint32_t stride)
{
    const pair *step = (const pair *)(const void *)way, times = {bytes, bytes};
    pair *to = (pair *)(void *)sum;

    for (uint32_t i = 0; i < stride / 2; i += COST_STRIDE / 2) {
        to[i] += times * step[i];
        to[i + 1] += times * step[i + 1];
        to[i + 2] += times * step[i + 2];
        to[i + 3] += times * step[i + 3];
    }
}

void cost_table_fill(struct cost_table *table, const struct region *region)
{
    memset(table->cost, 0,
           (size_t)table->n * table->stride * sizeof(*table->cost));
    for (uint32_t t = 0; t < table->n; t++) {
        double *cost = table->cost + (size_t)t * table->stride;

        for (uint32_t k = region->row[t]; k < region->row[t + 1]; k++) {
            const struct coarse_edge *edge = &region->edge[k];
            uint32_t to = region->host[edge->to];

            if (to < region->nhosts)
                add(cost, table->distance + (size_t)to * table->stride,
                    edge->bytes, table->stride);
            else
                for (uint32_t h = 0; h < region->nhosts; h++)
                    cost[h] +=
                        (double)edge->bytes *
                        region->distance[(size_t)h * region->ncolumns + to];
        }
    }
    table->is_valid = true;
}

/* The neighbours of t see it go the way. */
static void take_away(struct cost_table *table,
                      const struct region *region,
                      uint32_t t,
                      double sign)
{
    for (uint32_t k = region->row[t]; k < region->row[t + 1]; k++) {
        const struct coarse_edge *edge = &region->edge[k];

        if (edge->to < table->n)
            add(table->cost + (size_t)edge->to * table->stride, table->way,
                sign * edge->bytes, table->stride);
    }
}

void cost_table_change(struct cost_table *table,
                       const struct region *region,
                       uint32_t t,
                       uint32_t a,
                       uint32_t u,
                       uint32_t b)
{
    const double *from = table->distance + (size_t)a * table->stride;
    const double *to = table->distance + (size_t)b * table->stride;

    for (uint32_t h = 0; h < table->stride; h++)
        table->way[h] = to[h] - from[h];
    take_away(table, region, t, 1);
    if (u != MAPCORE_NONE)
        take_away(table, region, u, -1);
}
