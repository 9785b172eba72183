/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* embed_halves.c - a grid laid into any set of hosts: dual recursive bisection
 * with planes through the grid as its cuts */
#include "config.h"

#include "map/embed/embed_internal.h"

#include "base/array.h"
#include "map/bisection/rb.h"

#include <string.h>

/* The cut at hand: of task[n], `first` go to side 0. */
struct plane_cut {
    const struct mapcore_grid *grid;
    const uint32_t *task;
    uint32_t n, first;
    uint8_t *side;   /* [n], the result */
    uint8_t *best;   /* [ntasks] */
    uint32_t *rest;  /* [ntasks], those whose side is not known yet */
    uint32_t *layer; /* [largest dimension] */
    uint32_t start[MAPCORE_GRID_MAX_DIMS];  /* where a dimension begins */
    uint32_t extent[MAPCORE_GRID_MAX_DIMS]; /* layers that have tasks */
};

static uint32_t coordinate(const struct plane_cut *cut, uint32_t v, uint32_t i)
{
    return cut->grid->coordinates[(size_t)cut->task[v] * cut->grid->ndims + i];
}

/* Where the tasks begin in each dimension (a ring behind its widest gap), and
 * in how many layers they are. */
static void find_extents(struct plane_cut *cut)
{
    const struct mapcore_grid *grid = cut->grid;

    for (uint32_t i = 0; i < grid->ndims; i++) {
        uint32_t d = grid->dims[i];

        memset(cut->layer, 0, d * sizeof(*cut->layer));
        cut->extent[i] = 0;
        for (uint32_t v = 0; v < cut->n; v++)
            cut->layer[coordinate(cut, v, i)]++;
        for (uint32_t x = 0; x < d; x++)
            cut->extent[i] += cut->layer[x] > 0;
        cut->start[i] = grid->periodic[i] ? embed_ring_start(cut->layer, d) : 0;
    }
}

/* Divides rest[n] by dimension i: the `first` lowest (or with down the highest)
 * go to side 0. Those of the layer that the cut goes through stay in rest, and
 * *first returns how many of them go to side 0. */
static uint32_t divide(const struct plane_cut *cut,
                       uint32_t i,
                       bool down,
                       uint32_t n,
                       uint32_t *first)
{
    uint32_t d = cut->grid->dims[i], through = 0, left = 0;

    memset(cut->layer, 0, d * sizeof(*cut->layer));
    for (uint32_t k = 0; k < n; k++) {
        uint32_t x = coordinate(cut, cut->rest[k], i);

        x = (x + d - cut->start[i]) % d;
        cut->layer[down ? d - 1 - x : x]++;
    }
    while (cut->layer[through] <= *first && through + 1 < d)
        *first -= cut->layer[through++];
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = cut->rest[k];
        uint32_t x = (coordinate(cut, v, i) + d - cut->start[i]) % d;

        x = down ? d - 1 - x : x;
        cut->side[v] = x >= through;
        if (x == through)
            cut->rest[left++] = v;
    }
    return left;
}

/* Sets the sides: cut across dimension i, the layer that is cut through across
 * the longest of the others, and so on. */
static void cut_across(const struct plane_cut *cut, uint32_t i, bool down)
{
    uint32_t n = cut->n, first = cut->first, ndims = cut->grid->ndims;
    bool used[MAPCORE_GRID_MAX_DIMS] = {false};

    for (uint32_t v = 0; v < n; v++)
        cut->rest[v] = v;
    while (n > 0 && i < ndims) {
        uint32_t longest = 0;

        n = divide(cut, i, down, n, &first);
        if (first == 0)
            break;
        used[i] = true;
        i = ndims;
        for (uint32_t k = 0; k < ndims; k++)
            if (!used[k] && cut->extent[k] > longest) {
                longest = cut->extent[k];
                i = k;
            }
    }
    for (uint32_t k = 0; k < n; k++)
        cut->side[cut->rest[k]] = k >= first;
}

/* The plane, in whichever direction, that costs least. */
static void cut_plane(void *arg,
                      struct bisect_level *level,
                      const uint32_t *task,
                      uint32_t first)
{
    struct plane_cut *cut = arg;
    int64_t least = INT64_MAX;

    cut->task = task;
    cut->n = level->n;
    cut->first = first;
    cut->side = level->side;
    for (uint32_t v = 0; v < cut->n; v++)
        cut->best[v] = v >= first;
    find_extents(cut);
    for (uint32_t i = 0; i < cut->grid->ndims; i++)
        for (int down = 0; down < 2 && cut->extent[i] > 1; down++) {
            int64_t cost;

            cut_across(cut, i, down);
            cost = bisect_level_cost(level);
            if (cost >= least)
                continue;
            least = cost;
            memcpy(cut->best, cut->side, cut->n);
        }
    memcpy(cut->side, cut->best, cut->n);
}

int embed_halves(uint32_t *steps,
                 const struct mapcore_grid *grid,
                 const struct mapper_call *call,
                 uint32_t variant)
{
    static const struct dual_effort no_effort = {0};
    struct plane_cut cut = {
        .grid = grid,
        .best = arena_alloc(call->arena, grid->ntasks, sizeof(*cut.best)),
        .rest = arena_alloc(call->arena, grid->ntasks, sizeof(*cut.rest)),
    };
    const struct rb_how how = {
        .effort = &no_effort, .unit = 1, .cut = cut_plane, .arg = &cut};
    struct mapper_call own = *call;
    uint32_t largest = 0;

    own.pass = variant;
    for (uint32_t i = 0; i < grid->ndims; i++)
        largest = grid->dims[i] > largest ? grid->dims[i] : largest;
    cut.layer = arena_alloc(call->arena, largest, sizeof(*cut.layer));
    return call->arena->error ? MAPCORE_ENOMEM : rb_run(steps, &own, &how);
}
