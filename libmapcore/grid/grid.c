/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid.c - the Cartesian grid of a task graph: the ways to find one, the best
 * of what they found */
#include "config.h"

#include "grid/grid.h"

#include "base/array.h"
#include "grid/grid_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Below this share of the bytes it is no grid; above the other, nobody looks
 * for a better one. */
#define LEAST_SHARE  0.5
#define ENOUGH_SHARE 0.95
/* Tasks with more than this many times the neighbours that most have are hubs,
 * unless they are more than one in so many. */
#define HUB_FACTOR 4
#define HUB_RARE   100

int grid_alloc(struct mapcore_grid **out,
               uint32_t ntasks,
               uint32_t ndims,
               struct mapcore_error *err)
{
    struct mapcore_grid *grid = array_alloc(1, sizeof(*grid), err);

    if (!grid)
        return MAPCORE_ENOMEM;
    grid->ntasks = ntasks;
    grid->ndims = ndims;
    grid->coordinates =
        array_alloc((size_t)ntasks * ndims, sizeof(*grid->coordinates), err);
    if (!grid->coordinates) {
        free(grid);
        return MAPCORE_ENOMEM;
    }
    *out = grid;
    return 0;
}

void mapcore_grid_destroy(struct mapcore_grid *grid)
{
    if (!grid)
        return;
    free(grid->coordinates);
    free(grid->offset);
    free(grid);
}

int mapcore_grid_of_dims(struct mapcore_grid **out,
                         const struct mapcore_graph *graph,
                         uint32_t ndims,
                         const uint32_t *dims,
                         struct mapcore_error *err)
{
    struct mapcore_grid *grid = NULL;
    uint64_t places = 1;
    int error;

    if (ndims < 1 || ndims > MAPCORE_GRID_MAX_DIMS)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %u dimensions: 1 to %d are possible", ndims,
                         MAPCORE_GRID_MAX_DIMS);
    for (uint32_t i = 0; i < ndims; i++) {
        if (dims[i] < 2 || dims[i] > INT32_MAX)
            return error_set(err, MAPCORE_EINVAL,
                             "dimension %u of a grid is %u", i, dims[i]);
        if (places < graph->ntasks)
            places *= dims[i];
    }
    if (places < graph->ntasks)
        return error_set(err, MAPCORE_EINVAL,
                         "a grid of %llu places for %u tasks",
                         (unsigned long long)places, graph->ntasks);
    if ((error = grid_alloc(&grid, graph->ntasks, ndims, err)) < 0)
        return error;
    memcpy(grid->dims, dims, ndims * sizeof(*dims));
    grid->by_rank = true;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint32_t rest = t;

        for (uint32_t i = 0; i < ndims; i++) {
            grid->coordinates[(size_t)t * ndims + i] = rest % dims[i];
            rest /= dims[i];
        }
    }
    if ((error = grid_measure(grid, graph, err)) < 0) {
        mapcore_grid_destroy(grid);
        return error;
    }
    *out = grid;
    return 0;
}

size_t grid_hub_degree(const struct mapcore_graph *graph)
{
    enum { COUNTED = 4096 };
    uint32_t count[COUNTED] = {0}, n = graph->ntasks, below = 0, hubs = 0;
    size_t median = 0, least;

    for (uint32_t t = 0; t < n; t++) {
        size_t degree = graph->row[t + 1] - graph->row[t];

        count[degree < COUNTED ? degree : COUNTED - 1]++;
    }
    while (median < COUNTED - 1 && (below += count[median]) <= n / 2)
        median++;
    least = HUB_FACTOR * median + 2 * MAPCORE_GRID_MAX_DIMS;
    for (uint32_t t = 0; t < n; t++)
        hubs += graph->row[t + 1] - graph->row[t] >= least;
    return median < COUNTED - 1 && hubs <= n / HUB_RARE ? least : SIZE_MAX;
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

/* Two dimensions of two places, with as many bytes in each, are a ring of four:
 * the structure alone cannot tell, and fewer dimensions are easier to lay
 * out. Measures. */
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

/* Measures what one way found, and keeps it if it is better. */
static int consider(struct mapcore_grid **best,
                    struct mapcore_grid *found,
                    const struct mapcore_graph *graph,
                    struct mapcore_error *err)
{
    int error;

    if (!found)
        return 0;
    if ((error = grid_measure(found, graph, err)) < 0 ||
        (error = grid_join_digits(&found, graph, err)) < 0 ||
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

/* The weights as they are, then those that are near each other as one. */
static int find_by_structure(struct mapcore_grid **best,
                             const struct mapcore_graph *graph,
                             struct mapcore_error *err)
{
    uint64_t least = 0;
    int error = 0;

    for (int near = 0; near < 2 && error == 0; near++) {
        struct mapcore_grid *found = NULL;

        if (share_of(*best) < ENOUGH_SHARE &&
            (error = grid_from_product(&found, graph, near, &least, err)) == 0)
            error = consider(best, found, graph, err);
    }
    return error;
}

/* Hands over the best grid if it explains enough, after a code of 0. */
static int decide(struct mapcore_grid **out,
                  struct mapcore_grid *best,
                  int error,
                  struct mapcore_error *err)
{
    char nearest[160];

    if (error == 0 && share_of(best) >= LEAST_SHARE) {
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
    struct mapcore_grid *best = NULL;
    int error = find_by_rank(&best, graph, err);

    if (error == 0)
        error = find_by_structure(&best, graph, err);
    return decide(out, best, error, err);
}

bool mapcore_grid_is_whole(const struct mapcore_grid *grid)
{
    return share_of(grid) >= ENOUGH_SHARE;
}

int mapcore_grid_describe(const struct mapcore_grid *grid,
                          char *buffer,
                          size_t size)
{
    int n = 0;

    if (size > 0)
        buffer[0] = '\0';
    for (uint32_t i = 0; i < grid->ndims && n >= 0; i++) {
        size_t used = (size_t)n < size ? (size_t)n : size;
        const char *kind = grid->kind[i] == MAPCORE_GRID_GROUP ? "g"
                           : grid->periodic[i]                 ? "p"
                                                               : "";
        int added = snprintf(buffer + used, size - used, "%s%u%s",
                             i > 0 ? "x" : "", grid->dims[i], kind);

        n = added < 0 ? added : n + added;
    }
    return n;
}
