/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rounds.c - rounds of runs in a pool, added to the results in their order */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "graph/csr.h"
#include "pool/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Results beyond that many are taken out where their hosts are gone. */
#define FORGET_FROM 256
/* What all chains of this number of rounds leave alone stays as it is. */
#define STUCK 2
/* Of energies that are the same. */
#define ROUNDING 1e-9

struct job {
    const struct rounds *rounds;
    struct chain {
        uint32_t *host; /* owned */
        struct mapcore_metrics metrics;
        int error;
        struct mapcore_error why;
    } chain[CHAINS];
};

static bool work(void *arg, size_t i)
{
    struct job *job = arg;
    const struct rounds *rounds = job->rounds;
    const struct map_problem *problem = &rounds->search->problem;
    struct chain *chain = &job->chain[i];
    struct rng rng;
    struct rounds_chain its = {
        .arg = rounds->arg, .i = (uint32_t)i, .rng = &rng, .err = &chain->why};

    rng_init(&rng, rounds->search->seed, rounds->stream,
             (uint64_t)(rounds->first + rounds->round) * CHAINS + i);
    chain->host = array_copy(rounds->host, problem->graph->ntasks,
                             sizeof(*rounds->host), &chain->why);
    its.host = chain->host;
    chain->error = its.host ? rounds->run(&its) : MAPCORE_ENOMEM;
    if (chain->error == 0 && !its.timed_out)
        chain->error =
            mapcore_metrics_compute(&chain->metrics, problem->graph,
                                    problem->alloc, chain->host, &chain->why);
    return chain->error == 0 && !its.timed_out;
}

static void add(void *arg, size_t i)
{
    struct job *job = arg;
    struct results *results = &job->rounds->search->results;
    struct result result = {.candidate = job->rounds->candidate,
                            .is_refined = true,
                            .is_kept = true,
                            .host = job->chain[i].host};

    job->chain[i].host = NULL;
    results_add(results, &result, &job->chain[i].metrics);
    results_count(results, 1);
}

static bool stop(void *arg)
{
    const struct job *job = arg;

    return map_deadline_passed(&job->rounds->search->problem.deadline);
}

/* Runs the chains of a round, or as many as work is left for; *ran: how many
 * counted, which are the last results then. */
static int run_chains(size_t *ran,
                      const struct rounds *rounds,
                      struct mapcore_error *err)
{
    struct search *search = rounds->search;
    size_t left = search->limit - search->results.work;
    struct job job = {.rounds = rounds};
    struct pool_job pooled = {.n = left < CHAINS ? left : CHAINS,
                              .work = work,
                              .settle = add,
                              .stop = stop,
                              .arg = &job};
    int error = results_reserve(&search->results, pooled.n, err);

    *ran = 0;
    if (error < 0)
        return error;
    *ran = pool_run(rounds->are_short ? NULL : search->pool, &pooled);
    for (size_t i = 0; i < CHAINS; i++)
        free(job.chain[i].host);
    if (*ran < pooled.n && job.chain[*ran].error < 0) {
        error = job.chain[*ran].error;
        if (err)
            *err = job.chain[*ran].why;
    }
    return error;
}

static int measure(double *out,
                   struct rounds *rounds,
                   size_t result,
                   struct mapcore_error *err)
{
    if (rounds->measure)
        return rounds->measure(out, rounds->search, result, err);
    *out = rounds->search->results.metrics[result].avg_hop_bytes;
    return 0;
}

/* The best of the last `ran` results is what the next round begins with, if it
 * is better than what these began with. */
static int take_best(struct rounds *rounds,
                     size_t ran,
                     struct mapcore_error *err)
{
    struct search *search = rounds->search;
    struct results *results = &search->results;
    const size_t first = results->n - ran;
    const double before = rounds->least;
    double least = INFINITY, low = INFINITY;
    uint32_t nleast = 0, nodd = 0, nsame = 0;
    size_t best = SIZE_MAX;
    int error = 0;

    for (size_t i = 0; error == 0 && i < ran; i++) {
        const double tie = rounds->tie
                               ? rounds->tie[i]
                               : results->metrics[first + i].avg_hop_bytes;
        double value;

        if ((error = measure(&value, rounds, first + i, err)) < 0)
            break;
        if (value < least || (value <= least && tie < low * (1 - ROUNDING)))
            nleast = nodd = 0;
        if (value < least || (value <= least && tie < low)) {
            least = value;
            low = tie;
        }
        nleast += value <= least && tie <= low * (1 + ROUNDING);
        nodd += value <= least && tie <= low * (1 + ROUNDING) && i % 2;
        nsame += value <= before && value >= before &&
                 tie <= rounds->least_tie && tie >= rounds->least_tie;
        if (value < rounds->least ||
            (value <= rounds->least && tie < rounds->least_tie)) {
            rounds->least = value;
            rounds->least_tie = tie;
            best = first + i;
        }
    }
    /* Chains that began elsewhere have come to the same: half of short ones,
     * which are soon there, all of long ones. */
    rounds->agreed = nleast >= (rounds->are_short ? CHAINS / 2 : CHAINS) &&
                             nodd > 0 && least <= before
                         ? rounds->agreed + 1
                         : 0;
    rounds->stuck =
        rounds->row->agree == 0 && nsame == CHAINS ? rounds->stuck + 1 : 0;
    rounds->idle = before - rounds->least > rounds->row->worth * before
                       ? 0
                       : rounds->idle + 1;
    search->is_settled =
        search->agrees && best == SIZE_MAX &&
        (!search->tables ||
         (least <= before && results->metrics[results->best].max_link_time >=
                                 search->agreed_time));
    search->agrees = false;
    if (best != SIZE_MAX && !rounds->row->restarts) {
        rounds->average = results->metrics[best].avg_hop_bytes;
        memcpy(rounds->host, results->result[best].host,
               search->problem.graph->ntasks * sizeof(*rounds->host));
    }
    results_release(results, first, rounds->row->keeps ? best : SIZE_MAX);
    results_forget(results, FORGET_FROM);
    return error;
}

static bool is_through(const struct rounds *rounds)
{
    const struct schedule_rounds *row = rounds->row;

    return rounds->round >= row->most || !(rounds->least > 0) ||
           rounds->search->is_settled ||
           results_are_perfect(&rounds->search->results) ||
           (row->agree > 0 && rounds->agreed >= row->agree) ||
           rounds->stuck >= STUCK ||
           (rounds->idle >= row->idle &&
            !(row->or_half && rounds->idle < rounds->round / 2));
}

static int run_all(struct rounds *rounds, struct mapcore_error *err)
{
    struct search *search = rounds->search;
    double took = 0;
    size_t ran;
    int error = 0;

    for (rounds->round = 0; error == 0 && !is_through(rounds);
         rounds->round++) {
        const double began = search_spent(search);

        ran = 0;
        if (search->results.work < search->limit &&
            !map_deadline_passed(&search->problem.deadline) &&
            !(rounds->end > 0 &&
              began + took * rounds->row->longer > rounds->end)) {
            if (rounds->prepare)
                error = rounds->prepare(rounds, err);
            if (error == 0)
                error = run_chains(&ran, rounds, err);
            if (error == 0)
                error = take_best(rounds, ran, err);
        }
        if (ran < CHAINS) {
            search->interrupted = true;
            break;
        }
        took = search_spent(search) - began;
    }
    return error;
}

int rounds_run(struct rounds *rounds, struct mapcore_error *err)
{
    const struct results *results = &rounds->search->results;
    const struct result *from = &results->result[rounds->from];
    int error = measure(&rounds->least, rounds, rounds->from, err);

    rounds->least_tie =
        rounds->tie ? INFINITY : results->metrics[rounds->from].avg_hop_bytes;
    rounds->candidate = from->candidate;
    rounds->average = results->metrics[rounds->from].avg_hop_bytes;
    rounds->host = array_copy(from->host, rounds->search->problem.graph->ntasks,
                              sizeof(*rounds->host), err);
    if (error == 0)
        error = rounds->host ? run_all(rounds, err) : MAPCORE_ENOMEM;
    free(rounds->host);
    return error;
}

int refined_take(struct search *search,
                 uint32_t *host,
                 size_t candidate,
                 bool is_kept,
                 struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    struct result result = {.candidate = candidate,
                            .is_refined = true,
                            .is_kept = is_kept,
                            .host = host};
    struct mapcore_metrics metrics;
    int error;

    if ((error = mapcore_metrics_compute(&metrics, problem->graph,
                                         problem->alloc, host, err)) < 0 ||
        (error = results_reserve(&search->results, 1, err)) < 0) {
        free(host);
        return error;
    }
    results_add(&search->results, &result, &metrics);
    return 0;
}

int refined_add(struct search *search,
                struct refine *refine,
                size_t from,
                struct mapcore_error *err)
{
    int error = refine_descend(refine, search->pool, err);
    uint32_t *host;

    if (error < 0)
        return error;
    host = array_alloc(search->problem.graph->ntasks, sizeof(*host), err);
    if (!host)
        return MAPCORE_ENOMEM;
    refine_get_mapping(host, refine);
    return refined_take(search, host, search->results.result[from].candidate,
                        false, err);
}
