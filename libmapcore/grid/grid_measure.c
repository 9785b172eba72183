/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_measure.c - grids of given dimensions, and what the edges say about a
 * grid whose coordinates are known: how much of the traffic it explains, and
 * how */
#include "config.h"

#include "grid/grid_measure.h"

#include "base/array.h"
#include "grid/grid_thresholds.h"
#include "grid/tally.h"

#include <stdlib.h>
#include <string.h>

/* Parallel lines, or points of a coarse grid, below which repetition proves
 * nothing. */
#define LEAST_REPEATS 4
/* Strides of coarse grids are powers of two: 2^0 .. 2^31. */
#define LEVELS 32

struct measure {
    struct mapcore_error *err; /* of the caller */
    struct mapcore_grid *grid;
    double lines[MAPCORE_GRID_MAX_DIMS]; /* parallel lines of a dimension */
    size_t along_edges[MAPCORE_GRID_MAX_DIMS]; /* in this dimension alone */
    struct tally raw;             /* by displacement without wrapping */
    struct tally pair;            /* by dimension and both coordinates in it */
    struct tally wrapped, common; /* by displacement: all edges, and those that
                                     parallel lines have in common */
    /* Steps of 2^k in one dimension between points of the coarse grid; [1] for
     * those the way round. */
    size_t coarse_edges[2][MAPCORE_GRID_MAX_DIMS][LEVELS];
    uint64_t coarse_bytes[2][MAPCORE_GRID_MAX_DIMS][LEVELS];
};

/* Displacements as one number: mixed radix of step + dims. */
static uint64_t pack(const struct mapcore_grid *grid, const int32_t *step)
{
    uint64_t key = 0;

    for (uint32_t i = 0; i < grid->ndims; i++)
        key = key * (2 * (uint64_t)grid->dims[i] + 1) +
              (uint64_t)((int64_t)step[i] + grid->dims[i]);
    return key;
}

static void unpack(int32_t *step, const struct mapcore_grid *grid, uint64_t key)
{
    for (uint32_t i = grid->ndims; i-- > 0;) {
        uint64_t radix = 2 * (uint64_t)grid->dims[i] + 1;

        step[i] = (int32_t)((int64_t)(key % radix) - grid->dims[i]);
        key /= radix;
    }
}

/* The first step that is not 0 becomes positive. */
static void make_canonical(int32_t *step, uint32_t ndims)
{
    uint32_t i = 0;

    while (i < ndims && step[i] == 0)
        i++;
    if (i == ndims || step[i] > 0)
        return;
    for (; i < ndims; i++)
        step[i] = -step[i];
}

/* The exponent of a power of two above 1, or 0. */
static unsigned level_of(uint32_t step)
{
    return step > 1 && (step & (step - 1)) == 0 ? (unsigned)__builtin_ctz(step)
                                                : 0;
}

static bool is_coarse(const struct mapcore_grid *grid, uint32_t t, unsigned k)
{
    const uint32_t *x = &grid->coordinates[(size_t)t * grid->ndims];

    for (uint32_t i = 0; i < grid->ndims; i++)
        if (x[i] & ((UINT32_C(1) << k) - 1))
            return false;
    return true;
}

/* An edge along dimension i. */
static int add_along(struct measure *measure,
                     uint32_t i,
                     const struct mapcore_edge *edge)
{
    const struct mapcore_grid *grid = measure->grid;
    uint32_t x = grid->coordinates[(size_t)edge->a * grid->ndims + i];
    uint32_t y = grid->coordinates[(size_t)edge->b * grid->ndims + i];
    uint32_t low = x < y ? x : y, high = x < y ? y : x;
    const uint32_t step[2] = {high - low, grid->dims[i] - (high - low)};

    measure->along_edges[i]++;
    for (int way = 0; way < 2; way++) {
        unsigned k = level_of(step[way]);

        if (k > 0 && is_coarse(grid, edge->a, k) &&
            is_coarse(grid, edge->b, k)) {
            measure->coarse_edges[way][i][k]++;
            measure->coarse_bytes[way][i][k] += edge->bytes;
        }
    }
    if (measure->lines[i] < LEAST_REPEATS)
        return 0;
    return tally_add(
        &measure->pair,
        ((uint64_t)low * grid->dims[i] + high) * MAPCORE_GRID_MAX_DIMS + i,
        edge->bytes, measure->err);
}

static int add_edges(struct measure *measure, const struct mapcore_graph *graph)
{
    const struct mapcore_grid *grid = measure->grid;
    uint32_t n = grid->ndims;
    int error = 0;

    for (uint32_t a = 0; a < graph->ntasks; a++) {
        const uint32_t *x = &grid->coordinates[(size_t)a * n];

        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++) {
            struct mapcore_edge edge = {a, graph->task[e], graph->bytes[e]};
            const uint32_t *y = &grid->coordinates[(size_t)edge.b * n];
            int32_t step[MAPCORE_GRID_MAX_DIMS];
            uint32_t moved = 0, last = 0;

            if (edge.b < a)
                continue;
            for (uint32_t i = 0; i < n; i++) {
                step[i] = (int32_t)y[i] - (int32_t)x[i];
                if (step[i] != 0) {
                    moved++;
                    last = i;
                }
            }
            make_canonical(step, n);
            error = tally_add(&measure->raw, pack(grid, step), edge.bytes,
                              measure->err);
            if (error == 0 && moved == 1)
                error = add_along(measure, last, &edge);
            if (error < 0)
                return error;
        }
    }
    return 0;
}

/* Groups by density, rings by the edges that close them. */
static void judge_dimensions(struct measure *measure)
{
    struct mapcore_grid *grid = measure->grid;

    for (uint32_t i = 0; i < grid->ndims; i++) {
        double d = grid->dims[i], lines = measure->lines[i];
        int32_t step[MAPCORE_GRID_MAX_DIMS] = {0};
        const struct tally_cell *closing;

        grid->kind[i] = d > 3 && (double)measure->along_edges[i] >
                                     GRID_GROUP_SHARE * lines * d * (d - 1) / 2
                            ? MAPCORE_GRID_GROUP
                            : MAPCORE_GRID_LINE;
        step[i] = (int32_t)grid->dims[i] - 1;
        closing = tally_find(&measure->raw, pack(grid, step));
        grid->periodic[i] =
            grid->kind[i] == MAPCORE_GRID_LINE && d > 2 && closing &&
            (double)closing->edges >= GRID_REGULAR_SHARE * lines;
    }
}

static bool is_in_group(const struct mapcore_grid *grid, const int32_t *step)
{
    uint32_t moved = 0;
    bool group = false;

    for (uint32_t i = 0; i < grid->ndims; i++)
        if (step[i] != 0) {
            moved++;
            group = grid->kind[i] == MAPCORE_GRID_GROUP;
        }
    return moved == 1 && group;
}

static void wrap(int32_t *step, const struct mapcore_grid *grid)
{
    for (uint32_t i = 0; i < grid->ndims; i++) {
        int32_t d = (int32_t)grid->dims[i];

        if (!grid->periodic[i])
            continue;
        if (2 * (int64_t)step[i] > d)
            step[i] -= d;
        else if (2 * (int64_t)step[i] <= -d)
            step[i] += d;
    }
    make_canonical(step, grid->ndims);
    /* Turning round may have made -d/2 of d/2, which is the same place. */
    for (uint32_t i = 0; i < grid->ndims; i++)
        if (grid->periodic[i] &&
            2 * (int64_t)step[i] == -(int64_t)grid->dims[i])
            step[i] = -step[i];
}

double grid_places(const struct mapcore_grid *grid,
                   const int32_t *step,
                   unsigned k)
{
    double places = 1;
    bool halves = true;

    for (uint32_t i = 0; i < grid->ndims; i++) {
        uint32_t d = (grid->dims[i] - 1) / (UINT32_C(1) << k) + 1;
        uint32_t s = (uint32_t)(step[i] < 0 ? -step[i] : step[i]) >> k;

        places *= grid->periodic[i] ? d : d > s ? d - s : 0;
        if (s != 0 && !(grid->periodic[i] && 2 * s == d))
            halves = false;
    }
    return halves ? places / 2 : places;
}

static bool is_regular(const struct measure *measure,
                       const int32_t *step,
                       size_t edges,
                       unsigned k)
{
    const struct mapcore_grid *grid = measure->grid;
    double places = grid_places(grid, step, k), box = 1;

    for (uint32_t i = 0; i < grid->ndims; i++)
        box *= grid->dims[i];
    /* A box that is not full has fewer of everything. */
    if (k == 0)
        places *= grid->ntasks / box;
    return places >= 1 && (k == 0 || places >= LEAST_REPEATS) &&
           (double)edges >= GRID_REGULAR_SHARE * places;
}

/* The edges of a displacement in one dimension that are of a coarse grid. */
static bool keep_coarse(struct mapcore_grid_offset *offset,
                        const struct measure *measure)
{
    const struct mapcore_grid *grid = measure->grid;
    uint32_t moved = 0, i = 0;
    unsigned k;

    for (uint32_t j = 0; j < grid->ndims; j++)
        if (offset->step[j] != 0) {
            moved++;
            i = j;
        }
    k = level_of((uint32_t)offset->step[i]);
    if (moved != 1 || k == 0)
        return false;
    offset->edges = measure->coarse_edges[0][i][k];
    offset->bytes = measure->coarse_bytes[0][i][k];
    if (grid->periodic[i] && 2 * (uint32_t)offset->step[i] != grid->dims[i]) {
        offset->edges += measure->coarse_edges[1][i][k];
        offset->bytes += measure->coarse_bytes[1][i][k];
    }
    return is_regular(measure, offset->step, offset->edges, k);
}

static int heavier_first(const void *a, const void *b)
{
    const struct mapcore_grid_offset *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return memcmp(y->step, x->step, sizeof(x->step));
}

/* Wraps the displacements; what is inside groups is explained already. */
static int wrap_all(struct measure *measure)
{
    struct mapcore_grid *grid = measure->grid;

    tally_sort(&measure->raw);
    for (size_t c = 0; c < measure->raw.n; c++) {
        const struct tally_cell *cell = &measure->raw.cell[c];
        int32_t step[MAPCORE_GRID_MAX_DIMS] = {0};

        unpack(step, grid, cell->key);
        if (is_in_group(grid, step)) {
            grid->explained += cell->bytes;
            continue;
        }
        wrap(step, grid);
        if (tally_add_many(&measure->wrapped, pack(grid, step), cell->edges,
                           cell->bytes, measure->err) < 0)
            return MAPCORE_ENOMEM;
    }
    return 0;
}

/* By displacement, the edges that parallel lines have in common. */
static int find_common(struct measure *measure)
{
    const struct mapcore_grid *grid = measure->grid;

    for (size_t c = 0; c < measure->pair.n; c++) {
        const struct tally_cell *cell = &measure->pair.cell[c];
        uint32_t i = (uint32_t)(cell->key % MAPCORE_GRID_MAX_DIMS);
        uint64_t both = cell->key / MAPCORE_GRID_MAX_DIMS;
        int32_t step[MAPCORE_GRID_MAX_DIMS] = {0};

        if (grid->kind[i] == MAPCORE_GRID_GROUP ||
            (double)cell->edges < GRID_REGULAR_SHARE * measure->lines[i])
            continue;
        step[i] =
            (int32_t)(both % grid->dims[i]) - (int32_t)(both / grid->dims[i]);
        wrap(step, grid);
        if (tally_add_many(&measure->common, pack(grid, step), cell->edges,
                           cell->bytes, measure->err) < 0)
            return MAPCORE_ENOMEM;
    }
    return 0;
}

/* What of a displacement is the grid's: everything, or what parallel lines have
 * in common, or the edges of a coarse grid. */
static int add_offset(struct measure *measure,
                      size_t *capacity,
                      const struct tally_cell *cell)
{
    struct mapcore_grid *grid = measure->grid;
    const struct tally_cell *common = tally_find(&measure->common, cell->key);
    struct mapcore_grid_offset offset = {.edges = cell->edges,
                                         .bytes = cell->bytes};

    unpack(offset.step, grid, cell->key);
    if (!is_regular(measure, offset.step, offset.edges, 0)) {
        bool coarse = keep_coarse(&offset, measure);

        if (common && (!coarse || common->bytes > offset.bytes)) {
            grid->explained += common->bytes;
            return 0;
        }
        if (!coarse)
            return 0;
    }
    if (array_reserve(&grid->offset, capacity, grid->noffsets + 1,
                      sizeof(*grid->offset), measure->err) < 0)
        return MAPCORE_ENOMEM;
    grid->offset[grid->noffsets++] = offset;
    grid->explained += offset.bytes;
    return 0;
}

static int add_offsets(struct measure *measure)
{
    struct mapcore_grid *grid = measure->grid;
    size_t capacity = 0;

    for (size_t c = 0; c < measure->wrapped.n; c++)
        if (add_offset(measure, &capacity, &measure->wrapped.cell[c]) < 0)
            return MAPCORE_ENOMEM;
    if (grid->noffsets > 1)
        qsort(grid->offset, grid->noffsets, sizeof(*grid->offset),
              heavier_first);
    return 0;
}

int grid_measure(struct mapcore_grid *grid,
                 const struct mapcore_graph *graph,
                 struct mapcore_error *err)
{
    struct measure *measure = array_alloc(1, sizeof(*measure), err);
    int error = measure ? 0 : MAPCORE_ENOMEM;

    if (error < 0)
        return error;
    measure->grid = grid;
    measure->err = err;
    for (uint32_t i = 0; i < grid->ndims; i++)
        measure->lines[i] = (double)grid->ntasks / grid->dims[i];
    free(grid->offset);
    grid->offset = NULL;
    grid->noffsets = 0;
    grid->explained = 0;
    grid->total = graph->total;
    if ((error = add_edges(measure, graph)) < 0)
        goto out;
    judge_dimensions(measure);
    if ((error = wrap_all(measure)) < 0 || (error = find_common(measure)) < 0)
        goto out;
    error = add_offsets(measure);
out:
    tally_clear(&measure->raw);
    tally_clear(&measure->pair);
    tally_clear(&measure->wrapped);
    tally_clear(&measure->common);
    free(measure);
    return error;
}

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

int grid_by_rank(struct mapcore_grid **out,
                 const struct mapcore_graph *graph,
                 uint32_t ndims,
                 const uint32_t *dims,
                 struct mapcore_error *err)
{
    struct mapcore_grid *grid = NULL;
    int error;

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

int mapcore_grid_of_dims(struct mapcore_grid **out,
                         const struct mapcore_graph *graph,
                         uint32_t ndims,
                         const uint32_t *dims,
                         struct mapcore_error *err)
{
    uint64_t places = 1;

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
    return grid_by_rank(out, graph, ndims, dims, err);
}
