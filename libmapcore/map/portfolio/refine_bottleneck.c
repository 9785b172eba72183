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
};

static int run_chain(uint32_t *host,
                     bool *done,
                     const void *arg,
                     uint32_t i,
                     struct mapcore_error *err)
{
    const struct turn *turn = arg;
    bool timed_out = false;
    struct rng rng;
    int error;

    rng_init(&rng, turn->search->seed, RNG_STREAM_BOTTLENECK,
             (uint64_t)turn->number * CHAINS + i);
    error =
        bottleneck_run(host, &timed_out, &turn->search->problem, turn->goal,
                       turn->slack, schedule_refinement.turn_rounds, &rng, err);
    *done = !timed_out;
    return error;
}

/* What is to become less. */
static double most(const struct search *search)
{
    const struct mapcore_metrics *metrics =
        &search->results.metrics[search->results.best];

    return search->results.rule.choice == MAPCORE_CHOOSE_LINK
               ? metrics->max_link_time
               : metrics->max_hop_bytes;
}

/* By how much the hop-bytes of the best may grow before it is not chosen any
 * more. */
static double slack(const struct search *search)
{
    double most = choose_most_average(
        &search->results.rule, search->results.metrics, search->results.n);

    return most / search->results.metrics[search->results.best].avg_hop_bytes -
           1;
}

int refine_bottleneck(struct search *search, struct mapcore_error *err)
{
    size_t size = search->problem.graph->ntasks * sizeof(uint32_t);
    uint32_t *host =
        array_alloc(search->problem.graph->ntasks, sizeof(*host), err);
    double before[SCHEDULE_PATIENCE] = {0};
    bool interrupted = false;
    int error = host ? 0 : MAPCORE_ENOMEM;

    for (uint32_t i = 0;
         error == 0 && i < schedule_refinement.turns && !interrupted; i++) {
        struct turn turn = {.search = search,
                            .number = i,
                            .goal = search->results.rule.choice ==
                                            MAPCORE_CHOOSE_LINK
                                        ? BOTTLENECK_LINKS
                                        : BOTTLENECK_TASKS};
        struct chains chains = {.search = search,
                                .from = search->results.best,
                                .start = host,
                                .run = run_chain,
                                .arg = &turn};
        double now = most(search);
        size_t ran;

        if (!(now > 0) || (i >= SCHEDULE_PATIENCE &&
                           now > before[i % SCHEDULE_PATIENCE] *
                                     (1 - schedule_refinement.worth)))
            break;
        before[i % SCHEDULE_PATIENCE] = now;
        turn.slack = slack(search);
        memcpy(host, search->results.result[search->results.best].host, size);
        error = chains_run(&ran, &chains, err);
        interrupted = ran < CHAINS;
    }
    search->interrupted = search->interrupted || interrupted;
    free(host);
    return error;
}
