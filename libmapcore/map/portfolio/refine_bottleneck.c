/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_bottleneck.c - the last part of a search for more than hop-bytes: the
 * time of the slowest link, or the most that one task has */
#include "config.h"

#include "map/portfolio/refine_bottleneck.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/chains.h"
#include "map/refine/bottleneck.h"
#include "map/rng_streams.h"

#include <stdlib.h>
#include <string.h>

/* Chains that go on from the best mapping so far. */
struct turn {
    const struct search *search;
    uint32_t number;
    enum bottleneck_goal goal;
    double slack;
    bool is_stuck; /* known to change nothing */
};

static int run_chain(uint32_t *host,
                     bool *done,
                     const void *arg,
                     uint32_t i,
                     struct mapcore_error *err)
{
    const struct turn *turn = arg;
    const struct bottleneck_how how = {.goal = turn->goal,
                                       .slack = turn->slack,
                                       .rounds =
                                           schedule_refinement.turn_rounds};
    bool timed_out = false;
    struct rng rng;
    int error;

    if (turn->is_stuck)
        return 0;
    rng_init(&rng, turn->search->seed, RNG_STREAM_BOTTLENECK,
             (uint64_t)turn->number * CHAINS + i);
    error = bottleneck_run(host, &timed_out, &turn->search->problem, &how, &rng,
                           err);
    *done = !timed_out;
    return error;
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

/* What was kept to go on from and cannot win any more. */
static void forget(struct results *results, size_t first)
{
    for (size_t i = first; i < results->n; i++)
        if (i != results->best && results->result[i].is_kept) {
            free(results->result[i].host);
            results->result[i].host = NULL;
        }
}

/* Where all changes are soon seen, it is known before that none is better. */
static int look(bool *stuck,
                const struct turn *turn,
                uint32_t *host,
                struct mapcore_error *err)
{
    const struct map_problem *problem = &turn->search->problem;

    *stuck = false;
    if (problem->graph->ntasks > schedule_refinement.seen)
        return 0;
    return bottleneck_look(stuck, host, problem, turn->goal, turn->slack, err);
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
        struct turn turn = {.search = search,
                            .number = first + i,
                            .goal = search->results.rule.choice ==
                                            MAPCORE_CHOOSE_TIME
                                        ? BOTTLENECK_LINKS
                                        : BOTTLENECK_TASKS};
        struct chains chains = {.search = search,
                                .from = from,
                                .start = host,
                                .run = run_chain,
                                .arg = &turn,
                                .keeps = keeps};
        double now = most(search, from);
        size_t ran;

        if (!(now > 0) || (i >= SCHEDULE_PATIENCE &&
                           now > before[i % SCHEDULE_PATIENCE] *
                                     (1 - schedule_refinement.worth)))
            break;
        before[i % SCHEDULE_PATIENCE] = now;
        turn.slack = slack(search, from);
        /* A turn that has changed nothing is followed by one from there. */
        if (turn.slack != looked ||
            memcmp(host, search->results.result[from].host, size) != 0) {
            memcpy(host, search->results.result[from].host, size);
            if ((error = look(&stuck, &turn, host, err)) < 0)
                break;
            looked = turn.slack;
        }
        chains.are_short = turn.is_stuck = stuck;
        error = chains_run(&ran, &chains, err);
        interrupted = ran < CHAINS;
        from = go_on(search, from, ran);
    }
    if (keeps)
        forget(&search->results, begin);
    search->interrupted = search->interrupted || interrupted;
    free(host);
    return error;
}
