/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottleneck.c - descent on the links that need longest, or the tasks that have
 * most hop-bytes */
#include "config.h"

#include "map/refine/bottleneck.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "graph/csr.h"
#include "map/refine/bottleneck_descent.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Changes tried in a round, and for each task at most; fewer where hubs make
 * them dear: a change is 16 + degree steps. So many steps between two looks at
 * the deadline. */
#define TRIES        4096
#define TRIES_A_TASK 32
#define STEPS        (1 << 19)
#define STEPS_UNSEEN (1 << 14)
/* Bytes times hops that fit, also as link_loads.h counts them. */
#define MOST_BYTES (UINT64_MAX / 8)

/* The nearest other hosts of h, found when first asked for; ties from the one
 * behind it on. */
static const uint32_t *nearest(struct bottleneck_descent *d, uint32_t h)
{
    uint32_t nhosts = mapcore_alloc_nhosts(d->problem->alloc), n = 0;
    uint32_t *near = d->near + (size_t)h * BOTTLENECK_NEAR;
    const uint16_t *row;

    if (near[0] != h)
        return near;
    row = distances_row(alloc_distances(d->problem->alloc), h, d->row);
    for (uint32_t i = 1; i < nhosts; i++) {
        uint32_t other = (uint32_t)(((uint64_t)h + i) % nhosts), at;

        if (n == BOTTLENECK_NEAR && row[near[n - 1]] <= row[other])
            continue;
        at = n < BOTTLENECK_NEAR ? n++ : n - 1;
        for (; at > 0 && row[near[at - 1]] > row[other]; at--)
            near[at] = near[at - 1];
        near[at] = other;
    }
    for (; n > 0 && n < BOTTLENECK_NEAR; n++)
        near[n] = near[0];
    return near;
}

/* A random number, exponentially distributed with mean 1. */
static double exponential(struct rng *rng)
{
    return -log(((double)(rng_next(rng) >> 11) + 1) * 0x1p-53);
}

/* A task of an edge over a slow link goes to the host of one of its
 * neighbours, or of one of theirs, or near one. */
static void try_change(struct bottleneck_descent *d, struct rng *rng)
{
    const struct mapcore_graph *graph = d->problem->graph;
    uint32_t t = d->edge[rng_below(rng, (uint32_t)(2 * d->nedges))], to, n;

    if (rng_below(rng, 4) == 0) { /* free a slot: move someone beside it */
        uint32_t h = d->host[t];

        n = d->place_begin[h + 1] - d->place_begin[h];
        t = n > 0 ? d->occupant[d->place_begin[h] + rng_below(rng, n)]
                  : MAPCORE_NONE;
    }
    if (t == MAPCORE_NONE || d->place[t] == MAPCORE_NONE)
        return;
    n = (uint32_t)(graph->row[t + 1] - graph->row[t]);
    to = n > 0 ? d->host[graph->task[graph->row[t] + rng_below(rng, n)]]
               : d->host[t];
    if (to == d->host[t] || rng_below(rng, 2) == 0)
        to = nearest(d, to)[rng_below(rng, BOTTLENECK_NEAR)];
    n = d->place_begin[to + 1] - d->place_begin[to];
    if (to != d->host[t] && n > 0)
        bottleneck_descent_exchange(
            d, t, d->place_begin[to] + rng_below(rng, n), to, true);
}

/* Of round i. */
static double heat_at(const struct bottleneck_how *how, uint32_t i)
{
    double share = 1 - 2.0 * i / how->rounds;

    return share > 0 ? how->hot * share : 0;
}

static void run_round(struct bottleneck_descent *d, double hot, struct rng *rng)
{
    uint32_t ntasks = d->problem->graph->ntasks;
    uint32_t tries =
        ntasks < TRIES / TRIES_A_TASK ? ntasks * TRIES_A_TASK : TRIES;
    uint64_t look = 0;

    d->steps = 0;
    for (uint32_t i = 0; i < tries && d->steps < STEPS; i++) {
        if (d->steps >= look) {
            d->timed_out = map_deadline_passed(&d->problem->deadline);
            if (d->timed_out)
                return;
            look = d->steps + STEPS_UNSEEN;
        }
        /* The rule of Metropolis. */
        d->heat = hot > 0 ? hot * exponential(rng) : 0;
        try_change(d, rng);
    }
}

/* Loads whose sums might not fit are left alone. */
static bool is_too_much(const struct map_problem *problem)
{
    uint32_t diameter =
        mapcore_topo_diameter(mapcore_alloc_topo(problem->alloc));

    return diameter > 0 && problem->graph->total > MOST_BYTES / diameter;
}

/* Whether no change of one place for another is better, among them all that a
 * round could try; not when time is up before that is known. */
static bool is_stuck(struct bottleneck_descent *d)
{
    uint32_t nhosts = mapcore_alloc_nhosts(d->problem->alloc);

    for (uint32_t t = 0; t < d->problem->graph->ntasks; t++)
        for (uint32_t h = 0; d->place[t] != MAPCORE_NONE && h < nhosts; h++) {
            if (map_deadline_passed(&d->problem->deadline))
                return false;
            for (uint32_t q = d->place_begin[h]; q < d->place_begin[h + 1]; q++)
                if (h != d->host[t] &&
                    bottleneck_descent_exchange(d, t, q, h, false))
                    return false;
        }
    return true;
}

int bottleneck_look(bool *stuck,
                    uint32_t *host,
                    const struct map_problem *problem,
                    enum bottleneck_goal goal,
                    double slack,
                    struct mapcore_error *err)
{
    struct bottleneck_descent d = {
        .problem = problem, .of_links = goal == BOTTLENECK_LINKS, .host = host};
    int error;

    *stuck = true;
    if (is_too_much(problem))
        return 0;
    if ((error = bottleneck_descent_create(&d, err)) == 0 && !d.timed_out) {
        bottleneck_descent_find_slow(&d);
        d.most = d.carried * (1 + slack);
        error = bottleneck_descent_find_edges(&d, err);
    }
    *stuck = error == 0 && !d.timed_out && (d.nedges == 0 || is_stuck(&d));
    bottleneck_descent_clear(&d);
    return error;
}

int bottleneck_run(uint32_t *host,
                   bool *timed_out,
                   const struct map_problem *problem,
                   const struct bottleneck_how *how,
                   struct rng *rng,
                   struct mapcore_error *err)
{
    struct bottleneck_descent d = {.problem = problem,
                                   .of_links = how->goal == BOTTLENECK_LINKS,
                                   .host = host};
    int error;

    *timed_out = false;
    if (how->weight)
        *how->weight = 0;
    if (is_too_much(problem))
        return 0;
    error = bottleneck_descent_create(&d, err);
    for (uint32_t i = 0; error == 0 && i < how->rounds && !d.timed_out; i++) {
        bottleneck_descent_find_slow(&d);
        if (i == 0)
            d.most = d.carried * (1 + how->slack);
        if ((error = bottleneck_descent_find_edges(&d, err)) < 0 ||
            d.nedges == 0 || d.timed_out)
            break;
        run_round(&d, heat_at(how, i), rng);
    }
    if (error == 0 && how->weight) {
        bottleneck_descent_find_slow(&d);
        *how->weight = d.weight;
    }
    *timed_out = d.timed_out;
    bottleneck_descent_clear(&d);
    return error;
}
