/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_find.c - the Cartesian grid of a task graph: the two finders one after
 * the other, the best of what they find
 *
 * A finder gives coordinates alone; grid_measure.c then counts what share of
 * the bytes they explain, which makes finders comparable, and two dimensions
 * that are digits of one become it. The second is for what the first cannot
 * see:
 *
 * 1. grid_ranks.c, strides in the ranks: rank = x + X (y + Y z), as nearly all
 *    programs number their grids. Takes about as long as reading the edges.
 *    Fails where ranks are in an order of their own: blocks, curves, the result
 *    of an earlier reordering.
 * 2. grid_structure.c, any numbering: the heaviest edges that connect all
 * tasks, weights near each other being one, grow into a grid (grid_grow.c). Its
 *    skeleton (grid_skeleton.c) drops diagonals and noise, then tasks are
 * placed one by one, from a task on whose surroundings nothing is missing,
 * where most of their placed neighbours want them. Survives missing edges;
 * fails where the noise is such that errors spread, which grid_settle.c sees by
 *    tasks that have no place of their own. Where heavy edges connect rows, and
 *    the others columns of as many tasks, both factors are looked at by
 *    themselves: columns with alltoall.
 *
 * A graph of which neither explains half is no grid (grid_thresholds.h). Tasks
 * that talk with everybody (grid_hub_degree) are left out by both. */
#include "config.h"

#include "grid/find/grid_find.h"

#include "base/error_set.h"
#include "graph/csr.h"
#include "grid/find/grid_parts.h"
#include "grid/grid_measure.h"
#include "grid/grid_thresholds.h"

static double share_of(const struct mapcore_grid *grid)
{
    return grid && grid->total > 0
               ? (double)grid->explained / (double)grid->total
               : 0;
}

/* The squares of all steps; those inside groups are none. */
static double squared_steps(const struct mapcore_grid *grid)
{
    double sum = 0;

    for (size_t o = 0; o < grid->noffsets; o++)
        for (uint32_t i = 0; i < grid->ndims; i++)
            sum += (double)grid->offset[o].step[i] * grid->offset[o].step[i];
    return sum;
}

/* Whether a says more, or the same by shorter steps. */
static bool is_better(const struct mapcore_grid *a,
                      const struct mapcore_grid *b)
{
    if (a->explained != b->explained)
        return a->explained > b->explained;
    return squared_steps(a) < squared_steps(b);
}

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

/* Joins dimensions that are two digits of one: a step of 1 in the higher goes
 * with a step from the last to the first place in the lower. *grid is measured,
 * and replaced. */
static int join_digits(struct mapcore_grid **grid,
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

/* Two dimensions of two places, with as many bytes in each, are a ring of four:
 * the structure alone cannot tell, and fewer dimensions are easier to lay out.
 * *grid is measured, and replaced. */
static int join_pairs(struct mapcore_grid **grid,
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
    return join_pairs(grid, graph, err);
}

/* Measures what one finder found, and keeps it if it is better. */
static int consider(struct mapcore_grid **best,
                    struct mapcore_grid *found,
                    const struct mapcore_graph *graph,
                    struct mapcore_error *err)
{
    int error;

    if (!found)
        return 0;
    if ((error = grid_measure(found, graph, err)) < 0 ||
        (error = join_digits(&found, graph, err)) < 0 ||
        (!found->by_rank && (error = join_pairs(&found, graph, err)) < 0)) {
        mapcore_grid_destroy(found);
        return error;
    }
    if (*best && !is_better(found, *best)) {
        mapcore_grid_destroy(found);
        return 0;
    }
    mapcore_grid_destroy(*best);
    *best = found;
    return 0;
}

static int find_by_rank(struct mapcore_grid **best,
                        const struct mapcore_graph *graph,
                        struct mapcore_error *err)
{
    struct mapcore_grid *found = NULL;
    int error;

    if ((error = grid_from_ranks(&found, graph, GRID_FEW_MOVES, err)) < 0 ||
        (error = consider(best, found, graph, err)) < 0)
        return error;
    found = NULL;
    /* Steps of more than one: perhaps two dimensions, one of them short, with
     * the diagonals between them. */
    if (*best && squared_steps(*best) > (double)(*best)->noffsets &&
        (error = grid_from_ranks(&found, graph, GRID_SHORT_MOVES, err)) == 0)
        error = consider(best, found, graph, err);
    return error;
}

/* Hands over the best grid if it explains enough, after a code of 0. */
static int decide(struct mapcore_grid **out,
                  struct mapcore_grid *best,
                  int error,
                  struct mapcore_error *err)
{
    char nearest[160];

    if (error == 0 && share_of(best) >= GRID_LEAST_SHARE) {
        *out = best;
        return 0;
    }
    if (error == 0) {
        error = MAPCORE_ENOENT;
        if (best && mapcore_grid_describe(best, nearest, sizeof(nearest)) > 0)
            error_set(err, error,
                      "no Cartesian grid: %s explains %.0f%% of the bytes",
                      nearest, 100 * share_of(best));
        else
            error_set(err, error, "no Cartesian grid");
    }
    mapcore_grid_destroy(best);
    return error;
}

bool mapcore_grid_is_whole(const struct mapcore_grid *grid)
{
    return share_of(grid) >= GRID_ENOUGH_SHARE;
}

int mapcore_grid_find_by_rank(struct mapcore_grid **out,
                              const struct mapcore_graph *graph,
                              struct mapcore_error *err)
{
    struct mapcore_grid *best = NULL;
    int error = find_by_rank(&best, graph, err);

    return decide(out, best, error, err);
}

int mapcore_grid_find(struct mapcore_grid **out,
                      const struct mapcore_graph *graph,
                      struct mapcore_error *err)
{
    struct mapcore_grid *best = NULL, *found = NULL;
    int error = find_by_rank(&best, graph, err);

    if (error == 0 && share_of(best) < GRID_ENOUGH_SHARE &&
        (error = grid_from_structure(&found, graph, err)) == 0)
        error = consider(&best, found, graph, err);
    return decide(out, best, error, err);
}
