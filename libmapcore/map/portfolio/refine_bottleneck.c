/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_bottleneck.c - the last part of a search for more than hop-bytes: the
 * time of the slowest link, or the most that one task has; and what is done
 * with the time that is left then: the best is warmed and cooled again and
 * again */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/chains.h"
#include "map/refine/bottleneck.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Results of rounds beyond that many are taken out where their hosts are
 * gone. */
#define FORGET_FROM 256
/* Rounds have higher numbers than turns. */
#define FIRST_ROUND (1u << 20)

_Static_assert(sizeof(schedule_more.warm) == CHAINS * sizeof(double),
               "a temperature for each chain");

/* Chains that go on from the best mapping so far. */
struct turn {
    const struct map_problem *problem;
    struct bottleneck_how how;
    const double *heat; /* [CHAINS], or NULL: 0 */
    double *weight;     /* [CHAINS] of what the chains come to, or NULL */
    bool is_stuck;      /* known to change nothing */
};

static int run_chain(uint32_t *host,
                     bool *timed_out,
                     const void *arg,
                     uint32_t i,
                     struct rng *rng,
                     struct mapcore_error *err)
{
    const struct turn *turn = arg;
    struct bottleneck_how how = turn->how;

    if (turn->is_stuck)
        return 0;
    how.hot = turn->heat ? turn->heat[i] : 0;
    how.weight = turn->weight ? &turn->weight[i] : NULL;
    return bottleneck_run(host, timed_out, turn->problem, &how, rng, err);
}

/* What is to become less. */
static double most(const struct search *search, size_t result)
{
    const struct mapcore_metrics *metrics = &search->results.metrics[result];

    return search->results.rule.choice == MAPCORE_CHOOSE_TIME
               ? metrics->max_link_time
               : metrics->max_hop_bytes;
}

/* By how much the hop-bytes of a result may grow before it is not chosen any
 * more. */
static double slack(const struct search *search, size_t result)
{
    double most = choose_most_average(
        &search->results.rule, search->results.metrics, search->results.n);

    return most / search->results.metrics[result].avg_hop_bytes - 1;
}

/* Where the next turn goes on: the best of the search where that has come out
 * of this descent, else the least of the last turn's n results, if it is less
 * than what they began with. */
static size_t go_on(const struct search *search, size_t from, size_t n)
{
    const struct results *results = &search->results;
    size_t first = results->n - n, next = from;

    if (from == results->best || results->best >= first)
        return results->best;
    for (size_t i = first; i < results->n; i++)
        if (results->result[i].host && most(search, i) < most(search, next))
            next = i;
    return next;
}

/* Where all changes are soon seen, it is known before that none is better. */
static int look(bool *stuck,
                const struct turn *turn,
                uint32_t *host,
                struct mapcore_error *err)
{
    const struct map_problem *problem = turn->problem;

    *stuck = false;
    if (problem->graph->ntasks > schedule_refinement.seen)
        return 0;
    return bottleneck_look(stuck, host, problem, turn->how.goal,
                           turn->how.slack, err);
}

int refine_bottleneck(struct search *search,
                      size_t from,
                      uint32_t first,
                      struct mapcore_error *err)
{
    size_t size = search->problem.graph->ntasks * sizeof(uint32_t);
    uint32_t *host =
        array_alloc(search->problem.graph->ntasks, sizeof(*host), err);
    bool keeps = from != search->results.best, interrupted = false,
         stuck = false;
    size_t begin = search->results.n;
    double before[SCHEDULE_PATIENCE] = {0}, looked = -1;
    int error = host ? 0 : MAPCORE_ENOMEM;

    for (uint32_t i = 0;
         error == 0 && i < schedule_refinement.turns && !interrupted; i++) {
        struct turn turn = {
            .problem = &search->problem,
            .how = {.goal = search->results.rule.choice == MAPCORE_CHOOSE_TIME
                                ? BOTTLENECK_LINKS
                                : BOTTLENECK_TASKS,
                    .rounds = schedule_refinement.turn_rounds}};
        struct chains chains = {.search = search,
                                .from = from,
                                .start = host,
                                .run = run_chain,
                                .arg = &turn,
                                .stream = RNG_STREAM_BOTTLENECK,
                                .number = first + i,
                                .keeps = keeps};
        double now = most(search, from);
        size_t ran;

        if (!(now > 0) || (i >= SCHEDULE_PATIENCE &&
                           now > before[i % SCHEDULE_PATIENCE] *
                                     (1 - schedule_refinement.worth)))
            break;
        before[i % SCHEDULE_PATIENCE] = now;
        turn.how.slack = slack(search, from);
        /* A turn that has changed nothing is followed by one from there. */
        if (turn.how.slack != looked ||
            memcmp(host, search->results.result[from].host, size) != 0) {
            memcpy(host, search->results.result[from].host, size);
            if ((error = look(&stuck, &turn, host, err)) < 0)
                break;
            looked = turn.how.slack;
        }
        chains.are_short = turn.is_stuck = stuck;
        error = chains_run(&ran, &chains, err);
        interrupted = ran < CHAINS;
        from = go_on(search, from, ran);
    }
    if (keeps)
        results_drop(&search->results, begin, SIZE_MAX);
    search->interrupted = search->interrupted || interrupted;
    free(host);
    return error;
}

/* Rounds that warm the best. */
struct more {
    struct search *search;
    uint32_t round;
    const double *heat; /* [CHAINS] */
    /* What a round begins with: less time, and then less weight, is better. */
    uint32_t *host; /* [ntasks] */
    double time, weight;
    double *chain_weight; /* [CHAINS] of what the chains come to */
};

static double time_of(const struct search *search, size_t result)
{
    return search->results.metrics[result].max_link_time;
}

/* The next round goes on from the best of the last `ran` results, if that is
 * better than what these began with. */
static void take_best(struct more *more, size_t ran)
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

static int run_round(size_t *ran, struct more *more, struct mapcore_error *err)
{
    struct results *results = &more->search->results;
    const struct turn turn = {.problem = &more->search->problem,
                              .how = {.goal = BOTTLENECK_LINKS,
                                      .slack = INFINITY,
                                      .rounds = schedule_more.rounds},
                              .heat = more->heat,
                              .weight = more->chain_weight};
    const struct chains chains = {.search = more->search,
                                  .from = results->best,
                                  .start = more->host,
                                  .run = run_chain,
                                  .arg = &turn,
                                  .stream = RNG_STREAM_BOTTLENECK,
                                  .number = FIRST_ROUND + more->round,
                                  .keeps = true};
    int error = chains_run(ran, &chains, err);

    if (error < 0)
        return error;
    take_best(more, *ran);
    for (size_t i = results->n - *ran; i < results->n; i++)
        results->result[i].is_kept = false;
    results_drop(results, results->n - *ran, SIZE_MAX);
    results_forget(results, FORGET_FROM);
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
