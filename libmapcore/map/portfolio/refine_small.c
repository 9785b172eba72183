/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_small.c - small problems: whole refinements side by side, again and
 * again */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "graph/csr.h"

/* Rounds that very few tasks begin with, in a moment: where chains agree in
 * them, longer ones have not been seen to better it. */
#define SHORT_ROUNDS 2u

/* Of a round of refinements. */
struct round {
    const struct search *search;
    const struct refine_base *base;
    uint32_t number, nshort; /* short ones by now */
    bool is_few, is_short;
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

/* Clusters first, in every second chain, and then tasks; not warm: the other
 * chains are so hot that they forget where they began. */
static int run_stages(bool *done,
                      const struct round *round,
                      struct refine *refine,
                      uint32_t chain,
                      struct mapcore_error *err)
{
    const struct schedule_temperatures *t = &schedule_temperatures;
    const bool clusters = chain % 2 == 0;
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
                     void *arg,
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
        error = run_stages(&done, round, refine, i, err);
    if (error == 0 && done && (error = refine_descend(refine, NULL, err)) == 0)
        refine_get_mapping(host, refine);
    refine_destroy(refine);
    *timed_out = !done;
    return error;
}

/* Where the chains of a short round do not agree, the next is a long one. Short
 * and warm rounds have the numbers behind all others. */
static int prepare(struct rounds *rounds, struct mapcore_error *err)
{
    const uint32_t nlong = schedule_rounds[ROUNDS_SMALL].most;
    struct round *round = rounds->arg;

    (void)err;
    /* A short round that gains nothing says nothing of long ones. */
    if (round->is_short && !round->is_warm)
        rounds->idle = 0;
    round->is_short =
        round->is_warm || (round->is_few && rounds->round < SHORT_ROUNDS &&
                           rounds->agreed == rounds->round);
    round->number = round->is_warm    ? nlong + SHORT_ROUNDS + rounds->round
                    : round->is_short ? nlong + round->nshort++
                                      : rounds->round - round->nshort;
    rounds->are_short = round->is_short;
    return 0;
}

/* What is chosen by the time of links has more from what comes behind. */
int refine_small(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err)
{
    const enum mapcore_choice choice = search->results.rule.choice;
    const bool by_links = choice == MAPCORE_CHOOSE_TIME;
    struct round round = {.search = search,
                          .base = base,
                          .is_few = search->problem.graph->ntasks <=
                                    schedule_refinement.short_tasks};
    struct rounds rounds = {.search = search,
                            .row =
                                &schedule_rounds[round.is_few ? ROUNDS_FEW
                                                 : by_links ? ROUNDS_SMALL_LINKS
                                                            : ROUNDS_SMALL],
                            .run = run_chain,
                            .arg = &round,
                            .prepare = prepare,
                            .end = by_links ? schedule_refinement.end_links : 0,
                            .from = start};
    int error = rounds_run(&rounds, err);

    if (error < 0 || !round.is_few || rounds.agreed >= rounds.row->agree ||
        choice != MAPCORE_CHOOSE_HOP_BYTES)
        return error;
    round.is_warm = true;
    rounds.row = &schedule_rounds[ROUNDS_WARM];
    rounds.from = results_least_average(&search->results);
    return rounds_run(&rounds, err);
}
