/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_product.c - a grid found in the structure of a graph alone: split into
 * factors by weight or by parallel edges, and each factor again */
#include "config.h"

#include "grid/find/grid_product.h"

#include "base/array.h"
#include "base/sets.h"
#include "grid/find/grid_grow.h"
#include "grid/find/grid_hubs.h"
#include "grid/find/grid_layers.h"
#include "grid/grid_create.h"
#include "grid/grid_thresholds.h"
#include "grid/tally.h"

#include <stdlib.h>
#include <string.h>

/* Factors of factors. */
#define MAX_DEPTH 4
/* Tasks that may be without edges. */
#define ISOLATED_SHARE 0.02
/* Weights that are tried as thresholds, and steps that looking for squares may
 * take. */
#define THRESHOLDS 32
/* Weights that are as near as this may be the same message's, of parts of
 * different sizes. */
#define NEAR_WEIGHTS 1.25
/* As many edges more are worth looking again. */
#define KNOWN_SHARE 0.95
#define MAX_STEPS   40000000
/* Times as many steps with hubs as without them: they say nothing. */
#define HUB_STEPS 4

/* How deep in factors of factors; whether weights that are near each other are
 * equal; the least weight of the whole graph that squares were looked for with,
 * or 0. */
struct product_search {
    unsigned depth;
    bool near;
    uint64_t *least;
};

static int solve(struct mapcore_grid **out,
                 const struct mapcore_graph *graph,
                 struct product_search search,
                 struct mapcore_error *err);

/* One dimension, in the order of the numbers. */
static int line_up(struct mapcore_grid **out,
                   uint32_t n,
                   struct mapcore_error *err)
{
    int error = grid_alloc(out, n, n > 1 ? 1 : 0, err);

    if (error < 0 || n < 2)
        return error;
    (*out)->dims[0] = n;
    for (uint32_t t = 0; t < n; t++)
        (*out)->coordinates[t] = t;
    return 0;
}

/* A factor of the graph, of n places: tasks with the same number are one; edges
 * between different numbers in skip are left out. */
struct factor {
    uint32_t n;
    const uint32_t *number, *skip; /* [ntasks] */
};

static int make_factor(struct mapcore_graph **out,
                       const struct mapcore_graph *graph,
                       const struct factor *of,
                       struct mapcore_error *err)
{
    const uint32_t *number = of->number, *skip = of->skip;
    struct mapcore_edge *edges =
        array_alloc(mapcore_graph_nedges(graph), sizeof(*edges), err);
    size_t count = 0;
    int error;

    if (!edges)
        return MAPCORE_ENOMEM;
    for (uint32_t a = 0; a < graph->ntasks; a++)
        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++) {
            uint32_t b = graph->task[e];

            if (b > a && number[a] != number[b] && skip[a] == skip[b])
                edges[count++] = (struct mapcore_edge){number[a], number[b],
                                                       graph->bytes[e]};
        }
    error = mapcore_graph_create(out, of->n, edges, count, err);
    free(edges);
    return error;
}

/* The grid of a factor; where there is none its places stay as they are. */
static int solve_factor(struct mapcore_grid **out,
                        const struct mapcore_graph *graph,
                        const struct factor *of,
                        struct product_search search,
                        struct mapcore_error *err)
{
    struct mapcore_graph *factor = NULL;
    int error = make_factor(&factor, graph, of, err);

    if (error == 0)
        error = solve(out, factor,
                      (struct product_search){search.depth + 1, search.near,
                                              search.least},
                      err);
    mapcore_graph_destroy(factor);
    if (error == 0 && !*out)
        error = line_up(out, of->n, err);
    return error;
}

/* The product of two grids: task t is at the place number[0][t] of the first
 * and number[1][t] of the second. NULL when there are too many dimensions. */
static int multiply(struct mapcore_grid **out,
                    uint32_t ntasks,
                    const struct mapcore_grid *const grid[2],
                    const uint32_t *const number[2],
                    struct mapcore_error *err)
{
    const struct mapcore_grid *a = grid[0], *b = grid[1];
    uint32_t n = a->ndims + b->ndims;

    if (n > MAPCORE_GRID_MAX_DIMS)
        return 0;
    if (grid_alloc(out, ntasks, n, err) < 0)
        return MAPCORE_ENOMEM;
    memcpy((*out)->dims, a->dims, a->ndims * sizeof(*a->dims));
    memcpy((*out)->dims + a->ndims, b->dims, b->ndims * sizeof(*b->dims));
    for (size_t t = 0; t < ntasks; t++) {
        uint32_t *x = &(*out)->coordinates[t * n];

        memcpy(x, &a->coordinates[(size_t)number[0][t] * a->ndims],
               a->ndims * sizeof(*x));
        memcpy(x + a->ndims, &b->coordinates[(size_t)number[1][t] * b->ndims],
               b->ndims * sizeof(*x));
    }
    return 0;
}

/* Whether rows of equal size and columns meet in one task each. */
static bool is_product(const uint32_t *row,
                       uint32_t nrows,
                       const uint32_t *column,
                       uint32_t ncolumns,
                       uint32_t ntasks,
                       bool *seen)
{
    if ((uint64_t)nrows * ncolumns != ntasks)
        return false;
    memset(seen, 0, ntasks * sizeof(*seen));
    for (uint32_t t = 0; t < ntasks; t++) {
        size_t place = (size_t)column[t] * nrows + row[t];

        if (seen[place])
            return false;
        seen[place] = true;
    }
    return true;
}

/* Rows are connected by edges of at least `least` bytes, columns by those
 * between rows. NULL where that is no product. */
static int split_by_weight(struct mapcore_grid **out,
                           const struct mapcore_graph *graph,
                           uint32_t *row_set,
                           uint32_t nrows,
                           struct product_search search,
                           struct mapcore_error *err)
{
    uint32_t n = graph->ntasks, ncolumns = 0;
    uint32_t *row = array_alloc(n, sizeof(*row), err);
    uint32_t *column = array_alloc(n, sizeof(*column), err);
    uint32_t *set = array_alloc(n, sizeof(*set), err);
    bool *seen = array_alloc(n, sizeof(*seen), err);
    struct mapcore_grid *along = NULL, *across = NULL;
    int error = MAPCORE_ENOMEM;

    if (!row || !column || !set || !seen)
        goto out;
    sets_number(row, row_set, n);
    sets_init(set, n);
    for (uint32_t a = 0; a < n; a++)
        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++)
            if (row[a] != row[graph->task[e]])
                sets_join(set, a, graph->task[e]);
    ncolumns = sets_number(column, set, n);
    error = 0;
    if (!is_product(row, nrows, column, ncolumns, n, seen))
        goto out;
    error = solve_factor(&along, graph, &(struct factor){ncolumns, column, row},
                         search, err);
    if (error == 0)
        error = solve_factor(&across, graph,
                             &(struct factor){nrows, row, column}, search, err);
    if (error == 0)
        error = multiply(out, n, (const struct mapcore_grid *[]){along, across},
                         (const uint32_t *[]){column, row}, err);
out:
    mapcore_grid_destroy(along);
    mapcore_grid_destroy(across);
    free(row);
    free(column);
    free(set);
    free(seen);
    return error;
}

static int descending(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;

    return *x > *y ? -1 : *x < *y;
}

/* The weights that are apart from each other, heaviest first: all that differ,
 * or, when near, and where these are more than THRESHOLDS, the least of those
 * that are near each other. No more than THRESHOLDS of them and the least among
 * these. *more: with the other value of near they would be others. */
static int find_thresholds(uint64_t *out,
                           size_t *n,
                           bool *more,
                           const struct mapcore_graph *graph,
                           bool near,
                           struct mapcore_error *err)
{
    struct tally tally = {0};
    size_t apart = 0, all;
    uint64_t *weight;
    double gap;

    for (size_t e = 0; e < graph->row[graph->ntasks]; e++)
        if ((e == 0 || graph->bytes[e] != graph->bytes[e - 1]) &&
            tally_add(&tally, graph->bytes[e], 1, err) < 0) {
            tally_clear(&tally);
            return MAPCORE_ENOMEM;
        }
    tally_sort(&tally);
    weight = array_alloc(tally.n, sizeof(*weight), err);
    if (!weight) {
        tally_clear(&tally);
        return MAPCORE_ENOMEM;
    }
    all = tally.n;
    for (size_t i = 0; i < all; i++)
        weight[i] = tally.cell[i].key;
    tally_clear(&tally);
    if (all > 1)
        qsort(weight, all, sizeof(*weight), descending);
    gap = near || all > THRESHOLDS ? NEAR_WEIGHTS : 1;
    for (size_t i = 0; i < all; i++)
        if (i + 1 == all || (double)weight[i] > gap * (double)weight[i + 1])
            weight[apart++] = weight[i];
    *more = all <= THRESHOLDS && apart < all;
    *n = apart < THRESHOLDS ? apart : THRESHOLDS;
    for (size_t i = 0; i < *n; i++)
        out[i] = weight[(i + 1) * apart / *n - 1];
    free(weight);
    return 0;
}

/* Joins what edges of low <= bytes < high connect; returns how many sets there
 * are, or 1 where all but a few tasks, which missing edges have cut off, are in
 * one. size[n] is scratch. */
static uint32_t join_edges(uint32_t *set,
                           uint32_t *size,
                           const struct mapcore_graph *graph,
                           uint64_t low,
                           uint64_t high)
{
    uint32_t n = 0, largest = 0;

    for (uint32_t a = 0; a < graph->ntasks; a++)
        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++)
            if (graph->bytes[e] >= low && graph->bytes[e] < high)
                sets_join(set, a, graph->task[e]);
    memset(size, 0, graph->ntasks * sizeof(*size));
    for (uint32_t a = 0; a < graph->ntasks; a++) {
        uint32_t root = sets_find(set, a);

        n += root == a;
        if (++size[root] > largest)
            largest = size[root];
    }
    return largest >= (1 - ISOLATED_SHARE) * graph->ntasks ? 1 : n;
}

/* Replaces a dimension of a grid by those of its factor. */
static int open_factor(struct mapcore_grid **grid,
                       uint32_t dim,
                       const struct mapcore_graph *graph,
                       struct product_search search,
                       struct mapcore_error *err)
{
    uint32_t n = (*grid)->ntasks, ndims = (*grid)->ndims;
    uint32_t *number = array_alloc(n, sizeof(*number), err);
    uint32_t *other = array_alloc(n, sizeof(*other), err);
    struct mapcore_grid *factor = NULL, *rest = NULL, *product = NULL;
    int error = MAPCORE_ENOMEM;

    if (!number || !other || grid_alloc(&rest, n, ndims - 1, err) < 0)
        goto out;
    for (size_t t = 0; t < n; t++) {
        const uint32_t *x = &(*grid)->coordinates[t * ndims];

        for (uint32_t i = 0, to = 0; i < ndims; i++) {
            if (i == dim)
                continue;
            other[t] = other[t] * (*grid)->dims[i] + x[i];
            rest->dims[to] = (*grid)->dims[i];
            rest->coordinates[t * (ndims - 1) + to++] = x[i];
        }
        number[t] = x[dim];
    }
    error = solve_factor(&factor, graph,
                         &(struct factor){(*grid)->dims[dim], number, other},
                         search, err);
    for (uint32_t t = 0; t < n; t++)
        other[t] = t;
    if (error == 0)
        error =
            multiply(&product, n, (const struct mapcore_grid *[]){rest, factor},
                     (const uint32_t *[]){other, number}, err);
    if (product) {
        mapcore_grid_destroy(*grid);
        *grid = product;
    }
out:
    mapcore_grid_destroy(factor);
    mapcore_grid_destroy(rest);
    free(number);
    free(other);
    return error;
}

/* Parallel edges, unless rows are so dense that it takes too long. */
static int split_by_squares(struct mapcore_grid **out,
                            const struct mapcore_graph *graph,
                            uint64_t least,
                            struct product_search search,
                            struct mapcore_error *err)
{
    bool is_factor[MAPCORE_GRID_MAX_DIMS] = {false};
    uint64_t steps = 0, without_hubs = 0;
    size_t hub = grid_hub_degree(graph);
    int error;

    *out = NULL;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint64_t degree = 0;

        for (size_t e = graph->row[t]; e < graph->row[t + 1]; e++)
            degree += graph->bytes[e] >= least;
        steps += degree * degree;
        if (graph->row[t + 1] - graph->row[t] < hub)
            without_hubs += degree * degree;
    }
    if (without_hubs > MAX_STEPS)
        return 0;
    /* Squares with hubs in them say nothing. */
    if (steps > MAX_STEPS || steps > HUB_STEPS * without_hubs)
        return grid_from_growth(out, graph, least, err);
    error = grid_from_layers(out, is_factor, graph, least, err);
    /* A graph that is one single factor leads nowhere. */
    if (error == 0 && *out && (*out)->ndims == 1 && is_factor[0]) {
        mapcore_grid_destroy(*out);
        *out = NULL;
    }
    if (error == 0 && !*out)
        return grid_from_growth(out, graph, least, err);
    if (error < 0)
        return error;
    for (uint32_t i = (*out)->ndims; i-- > 0 && error == 0;)
        if (is_factor[i])
            error = open_factor(out, i, graph, search, err);
    return error;
}

/* Whether nearly the same edges have been looked at before. */
static bool is_known(const struct mapcore_graph *graph,
                     const struct product_search *search,
                     uint64_t least)
{
    size_t before = 0, now = 0;

    if (!search->near) {
        *search->least = least;
        return false;
    }
    if (*search->least == 0)
        return false;
    for (size_t e = 0; e < graph->row[graph->ntasks]; e++) {
        before += graph->bytes[e] >= *search->least;
        now += graph->bytes[e] >= least;
    }
    return (double)before > KNOWN_SHARE * (double)now;
}

static int solve(struct mapcore_grid **out,
                 const struct mapcore_graph *graph,
                 struct product_search search,
                 struct mapcore_error *err)
{
    uint32_t n = graph->ntasks, *set, *size;
    uint64_t threshold[THRESHOLDS], above = UINT64_MAX;
    size_t nthresholds;
    bool more;
    int error;

    *out = NULL;
    if (n < 3 || (n > 3 && (double)mapcore_graph_nedges(graph) >
                               GRID_GROUP_SHARE * n * (n - 1.0) / 2))
        return line_up(out, n, err);
    if (search.depth > MAX_DEPTH)
        return 0;
    if ((error = find_thresholds(threshold, &nthresholds, &more, graph,
                                 search.near, err)) < 0)
        return error;
    if (search.depth == 0 && search.near && !more)
        return 0;
    set = array_alloc(n, sizeof(*set), err);
    size = array_alloc(n, sizeof(*size), err);
    if (!set || !size) {
        free(set);
        free(size);
        return MAPCORE_ENOMEM;
    }
    sets_init(set, n);
    for (size_t i = 0; i < nthresholds && error == 0 && !*out; i++) {
        uint32_t nsets = join_edges(set, size, graph, threshold[i], above);

        above = threshold[i];
        if (nsets == 1) {
            if (search.depth == 0 && is_known(graph, &search, threshold[i]))
                break;
            error = split_by_squares(out, graph, threshold[i], search, err);
            break;
        }
        if (nsets < n && n % nsets == 0)
            error = split_by_weight(out, graph, set, nsets, search, err);
    }
    free(set);
    free(size);
    return error;
}

int grid_from_product(struct mapcore_grid **out,
                      const struct mapcore_graph *graph,
                      bool near,
                      uint64_t *least,
                      struct mapcore_error *err)
{
    return solve(out, graph, (struct product_search){0, near, least}, err);
}
