/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_bottleneck.c - the last part of a search for more than hop-bytes: the
 * time of the slowest link, or the most that one task has; and what is done
 * with the time that is left then: the best is warmed and cooled again and
 * again */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "graph/csr.h"
#include "map/refine/bottleneck.h"

#include <math.h>

/* Warm rounds have higher numbers than others. */
#define FIRST_WARM (1u << 20)
/* Of so many tasks all changes are soon seen: it is known before a round that
 * none is better. */
#define FEW_TASKS 128

_Static_assert(sizeof(schedule_more.warm) == CHAINS * sizeof(double),
               "a temperature for each chain");

struct bottleneck_round {
    const struct map_problem *problem;
    struct bottleneck_how how;
    const double *heat;    /* [CHAINS], or NULL: 0 */
    double looked;         /* with that slack */
    bool is_stuck;         /* then */
    double weight[CHAINS]; /* of what the chains come to */
};

static int run_chain(uint32_t *host,
                     bool *timed_out,
                     void *arg,
                     uint32_t i,
                     struct rng *rng,
                     struct mapcore_error *err)
{
    struct bottleneck_round *turn = arg;
    struct bottleneck_how how = turn->how;

    *timed_out = false;
    if (turn->is_stuck)
        return 0;
    how.hot = turn->heat ? turn->heat[i] : 0;
    how.weight = &turn->weight[i];
    return bottleneck_run(host, timed_out, turn->problem, &how, rng, err);
}

/* What is to become less. */
static int measure(double *out,
                   struct search *search,
                   size_t result,
                   struct mapcore_error *err)
{
    const struct mapcore_metrics *metrics = &search->results.metrics[result];

    (void)err;
    *out = search->results.rule.choice == MAPCORE_CHOOSE_TIME
               ? metrics->max_link_time
               : metrics->max_hop_bytes;
    return 0;
}

/* By how much hop-bytes may grow before a result is not chosen any more; and
 * whether the round that comes would change nothing. */
static int prepare(struct rounds *rounds, struct mapcore_error *err)
{
    const struct results *results = &rounds->search->results;
    struct bottleneck_round *turn = rounds->arg;

    turn->how.slack =
        choose_most_average(&results->rule, results->metrics, results->n) /
            rounds->average -
        1;
    if (rounds->round > 0 && rounds->idle > 0 &&
        turn->how.slack == turn->looked)
        return 0;
    turn->looked = turn->how.slack;
    turn->is_stuck = false;
    return turn->problem->graph->ntasks > FEW_TASKS
               ? 0
               : bottleneck_look(&turn->is_stuck, rounds->host, turn->problem,
                                 &turn->how, err);
}

int refine_bottleneck(struct search *search,
                      size_t from,
                      uint32_t first,
                      struct mapcore_error *err)
{
    struct bottleneck_round turn = {
        .problem = &search->problem,
        .how = {.goal = search->results.rule.choice == MAPCORE_CHOOSE_TIME
                            ? BOTTLENECK_LINKS
                            : BOTTLENECK_TASKS,
                .rounds = schedule_refinement.turn_rounds}};
    struct rounds rounds = {.search = search,
                            .row = &schedule_rounds[ROUNDS_SLOWEST],
                            .run = run_chain,
                            .arg = &turn,
                            .prepare = prepare,
                            .measure = measure,
                            .stream = RNG_STREAM_BOTTLENECK,
                            .first = first,
                            .from = from};

    return rounds_run(&rounds, err);
}

/* Warm or cool, and the other behind one that gained nothing. */
static int change_heat(struct rounds *rounds, struct mapcore_error *err)
{
    struct bottleneck_round *turn = rounds->arg;

    (void)err;
    if (rounds->idle > 0)
        turn->heat = turn->heat == schedule_more.warm ? schedule_more.cool
                                                      : schedule_more.warm;
    return 0;
}

int refine_more(struct search *search, struct mapcore_error *err)
{
    struct bottleneck_round turn = {.problem = &search->problem,
                                    .how = {.goal = BOTTLENECK_LINKS,
                                            .slack = INFINITY,
                                            .rounds = schedule_more.rounds},
                                    .heat = schedule_more.warm};
    struct rounds rounds = {.search = search,
                            .row = &schedule_rounds[ROUNDS_MORE],
                            .run = run_chain,
                            .arg = &turn,
                            .prepare = change_heat,
                            .measure = measure,
                            .tie = turn.weight,
                            .stream = RNG_STREAM_BOTTLENECK,
                            .first = FIRST_WARM,
                            .end = 1,
                            .from = search->results.best};

    return rounds_run(&rounds, err);
}
