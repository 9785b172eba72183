/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_ranks.c - a grid whose coordinates are mixed-radix digits of the rank:
 * what nearly every program's numbering is */
#include "config.h"

#include "grid/find/grid_parts.h"

#include "base/array.h"
#include "base/rng.h"
#include "grid/find/grid_skeleton.h"
#include "grid/grid_measure.h"
#include "grid/tally.h"

#include <math.h>
#include <stdlib.h>

/* Edges that stand for all, and strides that are tried: those that most of
 * them move by. */
#define SAMPLE     4096
#define CANDIDATES 40
#define LOGARITHMS 1024 /* known beforehand */
/* A dimension more has to save at least this share. */
#define LEAST_GAIN 0.002

struct grid_ranks {
    uint32_t ntasks;
    double move_cost;
    double logarithm[LOGARITHMS];
    size_t n;
    struct mapcore_edge *edge; /* [n], the sample; a < b */
    size_t ncandidates;
    uint32_t candidate[CANDIDATES];
    uint32_t nstrides;
    uint32_t stride[MAPCORE_GRID_MAX_DIMS]; /* ascending, [0] = 1 */
};

/* All edges where they are few. Else random ones rather than the first, and
 * rather than every k-th, which could all lie on one side of the grid. */
static int take_sample(struct grid_ranks *ranks,
                       const struct mapcore_graph *graph,
                       struct mapcore_error *err)
{
    const size_t all = graph->row[graph->ntasks], hub = grid_hub_degree(graph);
    const bool takes_all = all <= SAMPLE;
    const uint32_t n = takes_all ? graph->ntasks : SAMPLE;
    struct rng rng;

    ranks->ntasks = graph->ntasks;
    ranks->edge =
        array_alloc(takes_all ? all : SAMPLE, sizeof(*ranks->edge), err);
    if (!ranks->edge)
        return MAPCORE_ENOMEM;
    rng_init(&rng, 1, 0, 0);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t a = takes_all ? i : rng_below(&rng, graph->ntasks);
        size_t e = graph->row[a], end = graph->row[a + 1];

        if (e == end || end - e >= hub)
            continue;
        if (!takes_all) {
            e += rng_below(&rng, (uint32_t)(end - e));
            end = e + 1;
        }
        for (; e < end; e++) {
            uint32_t b = graph->task[e];

            if (graph->row[b + 1] - graph->row[b] < hub &&
                (a < b || !takes_all))
                ranks->edge[ranks->n++] = (struct mapcore_edge){
                    a < b ? a : b, a < b ? b : a, graph->bytes[e]};
        }
    }
    return 0;
}

static int more_bytes_first(const void *a, const void *b)
{
    const struct tally_cell *x = a, *y = b;

    if (x->bytes != y->bytes)
        return x->bytes < y->bytes ? 1 : -1;
    return x->key < y->key ? -1 : x->key > y->key;
}

static int find_candidates(struct grid_ranks *ranks, struct mapcore_error *err)
{
    struct tally tally = {0};

    for (size_t i = 0; i < ranks->n; i++)
        if (tally_add(&tally, ranks->edge[i].b - ranks->edge[i].a,
                      ranks->edge[i].bytes, err) < 0) {
            tally_clear(&tally);
            return MAPCORE_ENOMEM;
        }
    tally_sort(&tally);
    if (tally.n > 1)
        qsort(tally.cell, tally.n, sizeof(*tally.cell), more_bytes_first);
    for (size_t i = 0; i < tally.n && ranks->ncandidates < CANDIDATES; i++)
        /* A stride that one edge alone has is no stride; 1 is always one. */
        if (tally.cell[i].edges > 1 && tally.cell[i].key > 1 &&
            tally.cell[i].key <= ranks->ntasks / 2)
            ranks->candidate[ranks->ncandidates++] =
                (uint32_t)tally.cell[i].key;
    tally_clear(&tally);
    return 0;
}

/* Places in the i-th of the dimensions that strides make. */
static uint32_t size_of(const struct grid_ranks *ranks, uint32_t i)
{
    if (i + 1 < ranks->nstrides)
        return ranks->stride[i + 1] / ranks->stride[i];
    return (ranks->ntasks - 1) / ranks->stride[i] + 1;
}

/* The cost of the sample: bytes times moves and logarithms of distances. */
static double cost_of(const struct grid_ranks *ranks)
{
    double cost = 0;
    uint32_t size[MAPCORE_GRID_MAX_DIMS];

    for (uint32_t i = 0; i < ranks->nstrides; i++)
        size[i] = size_of(ranks, i);
    for (size_t e = 0; e < ranks->n; e++) {
        uint32_t a = ranks->edge[e].a, b = ranks->edge[e].b;
        double moves = 0;

        for (uint32_t i = ranks->nstrides; i-- > 0;) {
            uint32_t x = a / ranks->stride[i], y = b / ranks->stride[i];
            uint32_t far = x < y ? y - x : x - y;

            a -= x * ranks->stride[i];
            b -= y * ranks->stride[i];
            if (far > size[i] - far)
                far = size[i] - far;
            if (x != y)
                moves +=
                    ranks->move_cost + (far < LOGARITHMS ? ranks->logarithm[far]
                                                         : log2((double)far));
        }
        cost += moves * (double)ranks->edge[e].bytes;
    }
    return cost;
}

/* Puts a stride in its place; false if it does not divide the next and is not
 * divided by the one before. */
static bool insert(struct grid_ranks *ranks, uint32_t stride)
{
    uint32_t i = ranks->nstrides;

    while (ranks->stride[i - 1] > stride)
        i--;
    if (ranks->stride[i - 1] == stride || stride % ranks->stride[i - 1] != 0 ||
        (i < ranks->nstrides && ranks->stride[i] % stride != 0))
        return false;
    for (uint32_t k = ranks->nstrides++; k > i; k--)
        ranks->stride[k] = ranks->stride[k - 1];
    ranks->stride[i] = stride;
    return true;
}

static void erase(struct grid_ranks *ranks, uint32_t stride)
{
    uint32_t i = 0;

    while (ranks->stride[i] != stride)
        i++;
    ranks->nstrides--;
    for (; i < ranks->nstrides; i++)
        ranks->stride[i] = ranks->stride[i + 1];
}

/* Takes the stride that saves most, again and again. */
static void choose_strides(struct grid_ranks *ranks)
{
    double cost;

    ranks->stride[0] = 1;
    ranks->nstrides = 1;
    cost = cost_of(ranks);
    while (ranks->nstrides < MAPCORE_GRID_MAX_DIMS) {
        uint32_t best = 0;
        double least = cost * (1 - LEAST_GAIN);

        for (size_t i = 0; i < ranks->ncandidates; i++) {
            double with;

            if (!insert(ranks, ranks->candidate[i]))
                continue;
            with = cost_of(ranks);
            erase(ranks, ranks->candidate[i]);
            if (with < least) {
                least = with;
                best = ranks->candidate[i];
            }
        }
        if (best == 0)
            return;
        insert(ranks, best);
        cost = least;
    }
}

int grid_from_ranks(struct mapcore_grid **out,
                    const struct mapcore_graph *graph,
                    double move_cost,
                    struct mapcore_error *err)
{
    struct grid_ranks ranks = {.move_cost = move_cost};
    int error;

    *out = NULL;
    if (graph->ntasks < 2)
        return 0;
    if ((error = take_sample(&ranks, graph, err)) < 0 ||
        (error = find_candidates(&ranks, err)) < 0)
        goto out;
    for (uint32_t far = 1; far < LOGARITHMS && far < ranks.ntasks; far++)
        ranks.logarithm[far] = log2((double)far);
    choose_strides(&ranks);
    if ((error = grid_alloc(out, graph->ntasks, ranks.nstrides, err)) < 0)
        goto out;
    (*out)->by_rank = true;
    for (uint32_t i = 0; i < ranks.nstrides; i++)
        (*out)->dims[i] = size_of(&ranks, i);
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (uint32_t i = 0; i < ranks.nstrides; i++)
            (*out)->coordinates[(size_t)t * ranks.nstrides + i] =
                t / ranks.stride[i] % (*out)->dims[i];
out:
    free(ranks.edge);
    return error;
}
