/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_small.c - small problems: whole refinements side by side, again and
 * again */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/chains.h"
#include "map/portfolio/lower_bound.h"

#include <stdlib.h>
#include <string.h>

/* Refinements of a small problem that run side by side. */
struct round {
    const struct search *search;
    const struct refine_base *base;
    uint32_t number;
    bool is_short;
    bool is_warm; /* its chains do not forget where they begin */
};

static int run_epochs(bool *done,
                      const struct round *round,
                      struct refine *refine,
                      enum refine_stage stage,
                      struct refine_temperatures range,
                      struct mapcore_error *err)
{
    uint32_t most, n = (uint32_t)schedule_refinement.round_epochs
                       << (round->is_short ? 0 : round->number);
    int error = refine_begin(&most, refine, stage, range, err);

    if (stage == REFINE_CLUSTERS)
        n /= 4;

    for (uint32_t i = 0; error == 0 && *done && most > 0 && i < n; i++) {
        error = refine_epoch(done, refine, i, n, NULL, err);
        if (map_deadline_passed(&round->search->problem.deadline))
            *done = false;
    }
    return error;
}

/* Every second chain begins with clusters, the others are so hot that they
 * forget where they began. */
static bool begins_anywhere(uint32_t chain)
{
    return chain % 2 == 1;
}

/* Clusters first, but for chains that begin anywhere, and then tasks; not warm:
 * so hot that half of the chains forget where they began. */
static int run_rounds(bool *done,
                      const struct round *round,
                      struct refine *refine,
                      uint32_t chain,
                      struct mapcore_error *err)
{
    const struct schedule_temperatures *t = &schedule_temperatures;
    const bool clusters = !begins_anywhere(chain);
    int error =
        clusters ? run_epochs(done, round, refine, REFINE_CLUSTERS,
                              round->is_warm ? t->warm_clusters : t->all, err)
                 : 0;

    return error < 0 ? error
                     : run_epochs(done, round, refine, REFINE_TASKS,
                                  round->is_warm ? t->warm[chain]
                                  : clusters     ? t->tasks
                                                 : t->all,
                                  err);
}

static int run_chain(uint32_t *host,
                     bool *timed_out,
                     const void *arg,
                     uint32_t i,
                     struct rng *rng,
                     struct mapcore_error *err)
{
    const struct round *round = arg;
    struct refine *refine = NULL;
    bool done = true;
    int error = refine_create(&refine, round->base, host,
                              round->number * CHAINS + i, err);

    (void)rng; /* refinement has its own */
    if (error == 0 && round->is_short)
        refine_set_pace(refine, schedule_refinement.short_pace);
    if (error == 0)
        error = run_rounds(&done, round, refine, i, err);
    if (error == 0 && done && (error = refine_descend(refine, NULL, err)) == 0)
        refine_get_mapping(host, refine);
    refine_destroy(refine);
    *timed_out = !done;
    return error;
}

/* Least average of the results from the n-th last on, and how many came to it,
 * *nhot of them from anywhere. */
static double least(size_t *nbest,
                    size_t *nhot,
                    const struct search *search,
                    size_t n)
{
    const struct mapcore_metrics *metrics =
        search->results.metrics + (search->results.n - n);
    double best = metrics[0].avg_hop_bytes;

    *nbest = *nhot = 0;
    for (size_t i = 0; i < n; i++) {
        if (metrics[i].avg_hop_bytes < best) {
            best = metrics[i].avg_hop_bytes;
            *nbest = *nhot = 0;
        }
        if (metrics[i].avg_hop_bytes == best) {
            ++*nbest;
            *nhot += begins_anywhere((uint32_t)i);
        }
    }
    return best;
}

/* Rounds that very few tasks begin with: where half of the chains, and one that
 * began anywhere, come to the best twice, longer rounds have not been seen to
 * better it. */
enum { SHORT_ROUNDS = 2 };

/* Rounds of one search. */
struct round_state {
    struct search *search;
    const struct refine_base *base;
    size_t start;   /* the result that they begin with */
    uint32_t *host; /* [ntasks], its hosts */
    double best;
    unsigned agreed, useless; /* in a row */
};

static int run_round(struct round_state *rounds,
                     uint32_t number,
                     bool is_short,
                     struct mapcore_error *err)
{
    struct search *search = rounds->search;
    struct round round = {.search = search,
                          .base = rounds->base,
                          .number = number,
                          .is_short = is_short};
    struct chains chains = {.search = search,
                            .from = rounds->start,
                            .start = rounds->host,
                            .run = run_chain,
                            .arg = &round,
                            .are_short = is_short,
                            .keeps = search->results.rule.choice ==
                                     MAPCORE_CHOOSE_TIME};
    size_t ran, nbest = 0, nhot = 0;
    int error = chains_run(&ran, &chains, err);
    double now = ran > 0 ? least(&nbest, &nhot, search, ran) : rounds->best;
    bool agree = is_short ? nbest >= CHAINS / 2 && nhot > 0 : nbest == ran;

    search->interrupted = ran < CHAINS;
    rounds->agreed = !search->interrupted && agree && now <= rounds->best
                         ? rounds->agreed + 1
                         : 0;
    rounds->useless = now < rounds->best || is_short ? 0 : rounds->useless + 1;
    rounds->best = now < rounds->best ? now : rounds->best;
    return error;
}

/* Where the chains of one do not agree, the next is not run. */
static int run_short_rounds(struct round_state *rounds,
                            struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t r = 0; error == 0 && r == rounds->agreed && r < SHORT_ROUNDS;
         r++)
        error = run_round(rounds, schedule_refinement.rounds + r, true, err);
    return error;
}

/* Warm rounds in all, which go on as long as they gain: what was embedded, and
 * hot chains never find again, is the better for them (stages of half of the
 * tasks and rings on tori by 6%), and they take a moment. */
enum { WARM_ROUNDS = 4 };

static int run_warm_rounds(struct round_state *rounds,
                           struct mapcore_error *err)
{
    struct search *search = rounds->search;
    uint32_t ntasks = search->problem.graph->ntasks;
    bool gained = true;
    int error = 0;

    for (uint32_t r = 0;
         error == 0 && gained && r < WARM_ROUNDS && !search->interrupted; r++) {
        size_t from = results_least_average(&search->results);
        struct round round = {.search = search,
                              .base = rounds->base,
                              .number =
                                  schedule_refinement.rounds + SHORT_ROUNDS + r,
                              .is_short = true,
                              .is_warm = true};
        struct chains chains = {.search = search,
                                .from = from,
                                .start = rounds->host,
                                .run = run_chain,
                                .arg = &round,
                                .are_short = true};
        double before = search->results.metrics[from].avg_hop_bytes;
        size_t ran, nbest, nhot;

        memcpy(rounds->host, search->results.result[from].host,
               ntasks * sizeof(*rounds->host));
        error = chains_run(&ran, &chains, err);
        search->interrupted = ran < CHAINS;
        gained = ran > 0 && least(&nbest, &nhot, search, ran) < before;
    }
    return error;
}

/* Whether a round that takes such a share leaves time to what comes behind,
 * from which links have more. */
static bool has_time(const struct search *search, double share)
{
    return search->results.rule.choice != MAPCORE_CHOOSE_TIME ||
           search_spent(search) + share < schedule_refinement.end_links;
}

int refine_small(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err)
{
    uint32_t ntasks = search->problem.graph->ntasks;
    bool are_few = ntasks <= schedule_refinement.short_tasks;
    /* What links are chosen by gains more by what comes behind. */
    const unsigned most_useless =
        search->results.rule.choice == MAPCORE_CHOOSE_TIME && !are_few ? 1 : 3;
    struct round_state rounds = {
        .search = search,
        .base = base,
        .start = start,
        .host = array_copy(search->results.result[start].host, ntasks,
                           sizeof(*rounds.host), err),
        .best = search->results.metrics[start].avg_hop_bytes};
    double bound = 0, took = 0;
    int error = rounds.host ? 0 : MAPCORE_ENOMEM;

    if (error == 0 && are_few)
        error = lower_bound_average(&bound, &search->problem, err);
    if (error == 0 && are_few && rounds.best > bound)
        error = run_short_rounds(&rounds, err);
    for (uint32_t r = 0;
         error == 0 && r < schedule_refinement.rounds && !search->interrupted &&
         rounds.agreed < SHORT_ROUNDS && rounds.useless < most_useless &&
         rounds.best > bound && has_time(search, 2 * took);
         r++) {
        const double began = search_spent(search);

        error = run_round(&rounds, r, false, err);
        took = search_spent(search) - began;
    }
    if (error == 0 && are_few && rounds.agreed < SHORT_ROUNDS &&
        rounds.best > bound &&
        search->results.rule.choice == MAPCORE_CHOOSE_HOP_BYTES)
        error = run_warm_rounds(&rounds, err);
    free(rounds.host);
    return error;
}
