/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* improve_links.c - the last part of a search for the least time of the
 * slowest link */
#include "config.h"

#include "map/improve.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/purpose.h"
#include "map/relief.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Rounds of a run, and turns of runs. */
#define ROUNDS     4
#define MOST_TURNS 1024
/* Turns that must bring this share together, or it is over. */
#define PATIENCE 4
static const double WORTH = 0.002;

/* Runs that go on from the same mapping side by side, the best of which the
 * next turn goes on from. */
struct turn {
    struct search *search;
    size_t from; /* index of the result */
    const uint32_t *start;
    uint32_t number;
    struct {
        uint32_t *host; /* owned */
        struct mapcore_metrics metrics;
        int code;
        struct mapcore_error error;
    } run[IMPROVE_CHAINS];
};

static bool work(void *arg, size_t i)
{
    struct turn *turn = arg;
    const struct search *search = turn->search;
    struct mapcore_error *err = &turn->run[i].error;
    bool cut = false;
    struct rng rng;
    int code = MAPCORE_ENOMEM;

    turn->run[i].host = array_copy(turn->start, search->problem.graph->ntasks,
                                   sizeof(*turn->start), err);
    if (turn->run[i].host) {
        rng_init(&rng, search->seed, PURPOSE_RELIEF,
                 (uint64_t)turn->number * IMPROVE_CHAINS + i);
        code = relief_run(turn->run[i].host, &cut, &search->problem, ROUNDS,
                          &rng, err);
    }
    if (code == 0 && !cut)
        code = mapcore_metrics_compute(
            &turn->run[i].metrics, search->problem.graph, search->problem.alloc,
            turn->run[i].host, err);
    turn->run[i].code = code;
    return code == 0 && !cut;
}

static void settle(void *arg, size_t i)
{
    struct turn *turn = arg;
    struct settled result = {.candidate =
                                 turn->search->settled[turn->from].candidate,
                             .refined = true,
                             .host = turn->run[i].host};

    turn->run[i].host = NULL;
    portfolio_settle(turn->search, &result, &turn->run[i].metrics);
    portfolio_count(turn->search, 1);
}

static bool stop(void *arg)
{
    const struct turn *turn = arg;

    return map_clock_expired(&turn->search->problem.clock);
}

static int run_turn(size_t *ran,
                    struct turn *turn,
                    size_t n,
                    struct mapcore_error *err)
{
    struct pool_job job = {.n = n,
                           .threads = turn->search->options->threads,
                           .work = work,
                           .settle = settle,
                           .stop = stop,
                           .arg = turn};
    int code = portfolio_reserve(turn->search, n, err);

    if (code < 0)
        return code;
    *ran = pool_run(&job);
    for (size_t i = 0; i < IMPROVE_CHAINS; i++)
        free(turn->run[i].host);
    if (*ran < n && turn->run[*ran].code < 0) {
        code = turn->run[*ran].code;
        if (err)
            *err = turn->run[*ran].error;
    }
    return code;
}

int improve_links(struct search *search, struct mapcore_error *err)
{
    uint32_t ntasks = search->problem.graph->ntasks;
    struct turn *turn = array_alloc(1, sizeof(*turn), err);
    uint32_t *host = array_alloc(ntasks, sizeof(*host), err);
    double before[PATIENCE] = {0};
    bool is_cut = false;
    int code = turn && host ? 0 : MAPCORE_ENOMEM;

    for (uint32_t i = 0; code == 0 && i < MOST_TURNS && !is_cut; i++) {
        size_t left = search->limit - search->work, ran = 0;
        size_t n = left < IMPROVE_CHAINS ? left : IMPROVE_CHAINS;
        double now = search->metrics[search->best].max_link_time;

        if (!(now > 0) ||
            (i >= PATIENCE && now > before[i % PATIENCE] * (1 - WORTH)))
            break;
        before[i % PATIENCE] = now;
        memcpy(host, search->settled[search->best].host,
               ntasks * sizeof(*host));
        memset(turn, 0, sizeof(*turn));
        turn->search = search;
        turn->from = search->best;
        turn->start = host;
        turn->number = i;
        code = run_turn(&ran, turn, n, err);
        is_cut = ran < IMPROVE_CHAINS;
    }
    search->cut = search->cut || is_cut;
    free(turn);
    free(host);
    return code;
}
