/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_more.c - what is done with the time that is left when refinement for
 * the slowest link is through: the best is warmed and cooled again and again */
#include "config.h"

#include "map/portfolio/refine_more.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/chains.h"
#include "map/refine/bottleneck.h"
#include "map/rng_streams.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Results beyond that many are taken out where their hosts are gone. */
#define FORGET_FROM 256
/* Turns of refine_bottleneck.c have lower numbers. */
#define FIRST_TURN (1u << 20)

_Static_assert(sizeof(schedule_more.warm) == CHAINS * sizeof(double),
               "a temperature for each chain");

struct more {
    struct search *search;
    uint32_t round;
    const double *heat; /* [CHAINS] */
    /* What a round begins with: less time, and then less weight, is better. */
    uint32_t *host; /* [ntasks] */
    double time, weight;
    double *chain_weight; /* [CHAINS] of what the chains come to */
};

static int run_chain(uint32_t *host,
                     bool *done,
                     const void *arg,
                     uint32_t i,
                     struct mapcore_error *err)
{
    const struct more *more = arg;
    const struct bottleneck_how how = {.goal = BOTTLENECK_LINKS,
                                       .slack = INFINITY,
                                       .rounds = schedule_more.rounds,
                                       .hot = more->heat[i],
                                       .weight = &more->chain_weight[i]};
    bool timed_out = false;
    struct rng rng;
    int error;

    rng_init(&rng, more->search->seed, RNG_STREAM_BOTTLENECK,
             (uint64_t)(FIRST_TURN + more->round) * CHAINS + i);
    error = bottleneck_run(host, &timed_out, &more->search->problem, &how, &rng,
                           err);
    *done = !timed_out;
    return error;
}

static double time_of(const struct search *search, size_t result)
{
    return search->results.metrics[result].max_link_time;
}

/* The next round goes on from the best of the last `ran` results, if that is
 * better than what these began with. */
static void go_on(struct more *more, size_t ran)
{
    struct search *search = more->search;
    size_t first = search->results.n - ran;

    for (size_t i = 0; i < ran; i++) {
        double time = time_of(search, first + i);

        if (time > more->time ||
            (time == more->time && more->chain_weight[i] >= more->weight))
            continue;
        more->time = time;
        more->weight = more->chain_weight[i];
        memcpy(more->host, search->results.result[first + i].host,
               search->problem.graph->ntasks * sizeof(*more->host));
    }
}

/* Of the last `ran` results only the best is needed any more. */
static void forget(struct results *results, size_t ran)
{
    for (size_t i = results->n - ran; i < results->n; i++) {
        results->result[i].is_kept = false;
        if (i == results->best)
            continue;
        free(results->result[i].host);
        results->result[i].host = NULL;
    }
    results_forget(results, FORGET_FROM);
}

static int run_round(size_t *ran, struct more *more, struct mapcore_error *err)
{
    const struct chains chains = {.search = more->search,
                                  .from = more->search->results.best,
                                  .start = more->host,
                                  .run = run_chain,
                                  .arg = more,
                                  .keeps = true};
    int error = chains_run(ran, &chains, err);

    if (error < 0)
        return error;
    go_on(more, *ran);
    forget(&more->search->results, *ran);
    return 0;
}

/* Whether the time that is left is enough for a round like the last. */
static bool has_time(const struct search *search, double took)
{
    return !map_deadline_passed(&search->problem.deadline) &&
           search_spent(search) + took <= 1;
}

static int run_rounds(struct more *more, struct mapcore_error *err)
{
    struct search *search = more->search;
    uint32_t idle = 0;
    size_t ran = CHAINS;
    double took = 0;
    int error = 0;

    for (more->round = 0; error == 0 && more->time > 0 &&
                          (idle < schedule_more.idle || idle < more->round / 2);
         more->round++) {
        const double before = more->time, began = search_spent(search);

        ran = 0;
        if (search->results.work >= search->limit || !has_time(search, took))
            break;
        error = run_round(&ran, more, err);
        if (ran < CHAINS)
            break;
        took = search_spent(search) - began;
        idle = more->time <= before * (1 - schedule_more.worth) ? 0 : idle + 1;
        if (idle > 0)
            more->heat = more->heat == schedule_more.warm ? schedule_more.cool
                                                          : schedule_more.warm;
    }
    search->interrupted = search->interrupted || ran < CHAINS;
    return error;
}

int refine_more(struct search *search, struct mapcore_error *err)
{
    const struct results *results = &search->results;
    double weight[CHAINS] = {0};
    struct more more = {.search = search,
                        .heat = schedule_more.warm,
                        .time = time_of(search, results->best),
                        .weight = INFINITY,
                        .chain_weight = weight};
    int error;

    more.host =
        array_copy(results->result[results->best].host,
                   search->problem.graph->ntasks, sizeof(*more.host), err);
    error = more.host ? run_rounds(&more, err) : MAPCORE_ENOMEM;
    free(more.host);
    return error;
}
