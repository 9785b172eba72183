/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_structure.c - a grid found in the structure of a graph alone: grown from
 * the heaviest edges that connect all tasks, or the product of rows that heavy
 * edges connect and the columns that others do */
#include "config.h"

#include "grid/find/grid_parts.h"

#include "base/array.h"
#include "base/sets.h"
#include "graph/csr.h"
#include "grid/find/grid_skeleton.h"
#include "grid/grid_measure.h"
#include "grid/grid_thresholds.h"
#include "grid/tally.h"

#include <stdlib.h>
#include <string.h>

/* Tasks that may be without edges. */
#define ISOLATED_SHARE 0.02
/* Weights that are tried as thresholds, and steps that growth may take. */
#define THRESHOLDS 32
#define MAX_STEPS  40000000
/* Weights that are as near as this may be the same message's, of parts of
 * different sizes. */
#define NEAR_WEIGHTS 1.25

/* The grid of a factor of the graph, of n places: tasks with the same number
 * are one, and edges between different numbers in skip are left out. Where
 * there is none its places stay in the order of their numbers. */
static int solve_factor(struct mapcore_grid **out,
                        const struct mapcore_graph *graph,
                        uint32_t n,
                        const uint32_t *number,
                        const uint32_t *skip,
                        struct mapcore_error *err)
{
    struct mapcore_edge *edges =
        array_alloc(mapcore_graph_nedges(graph), sizeof(*edges), err);
    struct mapcore_graph *factor = NULL;
    size_t count = 0;
    int error = edges ? 0 : MAPCORE_ENOMEM;

    for (uint32_t a = 0; a < graph->ntasks && edges; a++)
        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++) {
            uint32_t b = graph->task[e];

            if (b > a && number[a] != number[b] && skip[a] == skip[b])
                edges[count++] = (struct mapcore_edge){number[a], number[b],
                                                       graph->bytes[e]};
        }
    if (error == 0 &&
        (error = mapcore_graph_create(&factor, n, edges, count, err)) == 0 &&
        (double)mapcore_graph_nedges(factor) <=
            GRID_GROUP_SHARE * n * (n - 1.0) / 2)
        error = grid_from_structure(out, factor, err);
    if (error == 0 && !*out && (error = grid_alloc(out, n, 1, err)) == 0) {
        (*out)->dims[0] = n;
        for (uint32_t t = 0; t < n; t++)
            (*out)->coordinates[t] = t;
    }
    mapcore_graph_destroy(factor);
    free(edges);
    return error;
}

/* The product of two grids: task t is at the place number[0][t] of the first
 * and number[1][t] of the second. NULL when there are too many dimensions. */
static int multiply(struct mapcore_grid **out,
                    uint32_t ntasks,
                    struct mapcore_grid *const grid[2],
                    uint32_t *const number[2],
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
static bool is_product(uint32_t *const number[2],
                       const uint32_t n[2],
                       uint32_t ntasks,
                       bool *seen)
{
    if ((uint64_t)n[0] * n[1] != ntasks)
        return false;
    for (uint32_t t = 0; t < ntasks; t++) {
        size_t place = (size_t)number[0][t] * n[1] + number[1][t];

        if (seen[place])
            return false;
        seen[place] = true;
    }
    return true;
}

/* Rows are the sets, columns what is connected by edges between rows. NULL
 * where that is no product. */
static int split(struct mapcore_grid **out,
                 const struct mapcore_graph *graph,
                 uint32_t *row_set,
                 struct mapcore_error *err)
{
    uint32_t ntasks = graph->ntasks, n[2], *number[2];
    struct arena arena = {.err = err};
    uint32_t *set = arena_alloc(&arena, ntasks, sizeof(*set));
    bool *seen = arena_alloc(&arena, ntasks, sizeof(*seen));
    struct mapcore_grid *factor[2] = {NULL, NULL};
    int error;

    number[0] = arena_alloc(&arena, ntasks, sizeof(uint32_t));
    number[1] = arena_alloc(&arena, ntasks, sizeof(uint32_t));
    if ((error = arena.error) < 0)
        goto out;
    n[1] = sets_number(number[1], row_set, ntasks);
    sets_init(set, ntasks);
    for (uint32_t a = 0; a < ntasks; a++)
        for (size_t e = graph->row[a]; e < graph->row[a + 1]; e++)
            if (number[1][a] != number[1][graph->task[e]])
                sets_join(set, a, graph->task[e]);
    n[0] = sets_number(number[0], set, ntasks);
    if (!is_product(number, n, ntasks, seen))
        goto out;
    for (int i = 0; i < 2 && error == 0; i++)
        error = solve_factor(&factor[i], graph, n[i], number[i], number[1 - i],
                             err);
    if (error == 0)
        error = multiply(out, ntasks, factor, number, err);
out:
    for (int i = 0; i < 2; i++)
        mapcore_grid_destroy(factor[i]);
    arena_clear(&arena);
    return error;
}

/* The weights that are apart from each other, the heaviest first: of those that
 * are near each other the least. No more than THRESHOLDS, the least among
 * them. */
static int find_thresholds(uint64_t *out,
                           size_t *n,
                           const struct mapcore_graph *graph,
                           struct mapcore_error *err)
{
    struct tally tally = {0};
    size_t apart = 0;

    for (size_t e = 0; e < graph->row[graph->ntasks]; e++)
        if ((e == 0 || graph->bytes[e] != graph->bytes[e - 1]) &&
            tally_add(&tally, graph->bytes[e], 1, err) < 0) {
            tally_clear(&tally);
            return MAPCORE_ENOMEM;
        }
    tally_sort(&tally);
    for (size_t i = 0; i < tally.n; i++) {
        uint64_t weight = tally.cell[i].key;

        if (i == 0 ||
            (double)weight > NEAR_WEIGHTS * (double)tally.cell[i - 1].key)
            tally.cell[apart++].edges = i;
    }
    *n = apart < THRESHOLDS ? apart : THRESHOLDS;
    for (size_t i = 0; i < *n; i++)
        out[i] = tally.cell[tally.cell[apart - (i + 1) * apart / *n].edges].key;
    tally_clear(&tally);
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

/* Whether rows are so dense that growth would take too long; those of hubs are
 * left out of it. */
static bool is_dense(const struct mapcore_graph *graph, uint64_t least)
{
    size_t hub = grid_hub_degree(graph);
    uint64_t steps = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint64_t degree = 0;

        for (size_t e = graph->row[t]; e < graph->row[t + 1]; e++)
            degree += graph->bytes[e] >= least;
        if (graph->row[t + 1] - graph->row[t] < hub)
            steps += degree * degree;
    }
    return steps > MAX_STEPS;
}

int grid_from_structure(struct mapcore_grid **out,
                        const struct mapcore_graph *graph,
                        struct mapcore_error *err)
{
    uint32_t n = graph->ntasks, *set = NULL, *size = NULL;
    uint64_t threshold[THRESHOLDS], above = UINT64_MAX;
    size_t nthresholds;
    int error;

    *out = NULL;
    if (n < 3)
        return 0;
    if ((error = find_thresholds(threshold, &nthresholds, graph, err)) < 0)
        return error;
    set = array_alloc(n, sizeof(*set), err);
    size = array_alloc(n, sizeof(*size), err);
    if (!set || !size)
        error = MAPCORE_ENOMEM;
    else
        sets_init(set, n);
    for (size_t i = 0; i < nthresholds && error == 0 && !*out; i++) {
        uint32_t nsets = join_edges(set, size, graph, threshold[i], above);

        above = threshold[i];
        if (nsets == 1) {
            if (!is_dense(graph, threshold[i]))
                error = grid_from_growth(out, graph, threshold[i], err);
            break;
        }
        if (nsets < n && n % nsets == 0)
            error = split(out, graph, set, err);
    }
    free(set);
    free(size);
    return error;
}
