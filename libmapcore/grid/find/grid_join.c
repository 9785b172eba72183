/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_join.c - dimensions that are two digits of one become it */
#include "config.h"

#include "grid/find/grid_join.h"

#include "grid/grid_measure.h"

/* Whether offset is the carry from the low digit into the high one. */
static bool is_carry(const struct mapcore_grid *grid,
                     const struct mapcore_grid_offset *offset,
                     uint32_t low,
                     uint32_t high)
{
    int32_t last = (int32_t)grid->dims[low] - 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        if (i != low && i != high && offset->step[i] != 0)
            return false;
    return offset->step[low] * offset->step[high] == -last &&
           (offset->step[high] == 1 || offset->step[high] == -1);
}

static bool find_carry(uint32_t *low,
                       uint32_t *high,
                       const struct mapcore_grid *grid)
{
    for (size_t o = 0; o < grid->noffsets; o++)
        for (uint32_t a = 0; a < grid->ndims; a++)
            for (uint32_t b = 0; b < grid->ndims; b++)
                /* In a digit of two a carry looks like any diagonal. */
                if (a != b && grid->dims[a] > 2 &&
                    grid->kind[a] == MAPCORE_GRID_LINE && !grid->periodic[a] &&
                    is_carry(grid, &grid->offset[o], a, b)) {
                    *low = a;
                    *high = b;
                    return true;
                }
    return false;
}

/* A copy with dimension low as the low digit of dimension high. */
static int join(struct mapcore_grid **out,
                const struct mapcore_grid *grid,
                uint32_t low,
                uint32_t high,
                struct mapcore_error *err)
{
    uint32_t n = grid->ndims, to = 0;
    struct mapcore_grid *joined;

    if (grid_alloc(&joined, grid->ntasks, n - 1, err) < 0)
        return MAPCORE_ENOMEM;
    joined->by_rank = grid->by_rank && high == low + 1;
    for (uint32_t i = 0; i < n; i++) {
        if (i == low)
            continue;
        joined->dims[to] = grid->dims[i];
        if (i == high)
            joined->dims[to] *= grid->dims[low];
        for (size_t t = 0; t < grid->ntasks; t++) {
            uint32_t x = grid->coordinates[t * n + i];

            if (i == high)
                x = x * grid->dims[low] + grid->coordinates[t * n + low];
            joined->coordinates[t * (n - 1) + to] = x;
        }
        to++;
    }
    *out = joined;
    return 0;
}

int grid_join_digits(struct mapcore_grid **grid,
                     const struct mapcore_graph *graph,
                     struct mapcore_error *err)
{
    uint32_t low, high;

    while (find_carry(&low, &high, *grid)) {
        struct mapcore_grid *joined = NULL;
        int error = join(&joined, *grid, low, high, err);

        if (error == 0)
            error = grid_measure(joined, graph, err);
        if (error < 0 || joined->explained < (*grid)->explained) {
            mapcore_grid_destroy(joined);
            return error;
        }
        mapcore_grid_destroy(*grid);
        *grid = joined;
    }
    return 0;
}

/* Bytes along dimension i of two places. */
static uint64_t pair_bytes(const struct mapcore_grid *grid, uint32_t i)
{
    for (size_t o = 0; o < grid->noffsets; o++) {
        uint32_t moved = 0;

        for (uint32_t k = 0; k < grid->ndims; k++)
            moved += grid->offset[o].step[k] != 0;
        if (moved == 1 && grid->offset[o].step[i] == 1)
            return grid->offset[o].bytes;
    }
    return 0;
}

int grid_join_pairs(struct mapcore_grid **grid,
                    const struct mapcore_graph *graph,
                    struct mapcore_error *err)
{
    uint32_t n = (*grid)->ndims, a = 0, b;
    struct mapcore_grid *joined = NULL;

    for (; a < n; a++)
        for (b = a + 1; b < n && (*grid)->dims[a] == 2; b++) {
            double x = (double)pair_bytes(*grid, a);
            double y = (double)pair_bytes(*grid, b);

            if ((*grid)->dims[b] == 2 && x > 0 && x < 1.1 * y && y < 1.1 * x)
                goto found;
        }
    return 0;
found:
    if (join(&joined, *grid, a, b, err) < 0)
        return MAPCORE_ENOMEM;
    joined->by_rank = false;
    /* Dimension b, less one for a that is gone, is now (high, low): 0, 1, 2, 3
     * becomes 0, 1, 3, 2. */
    for (size_t t = 0; t < joined->ntasks; t++) {
        uint32_t *x = &joined->coordinates[t * (n - 1) + b - 1];

        *x ^= *x >> 1;
    }
    mapcore_grid_destroy(*grid);
    *grid = joined;
    if (grid_measure(joined, graph, err) < 0)
        return MAPCORE_ENOMEM;
    return grid_join_pairs(grid, graph, err);
}
