/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* engines.c - what chains of rounds run: whole refinements of small problems;
 * what routers of a torus with holes hold, turned round; and the bottleneck,
 * the last part of a search for more than hop-bytes */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/refine/bottleneck.h"
#include "map/refine/rotation.h"

#include <math.h>

/* Rounds that very few tasks begin with, in a moment: where chains agree in
 * them, longer ones have not been seen to better it. */
#define SHORT_ROUNDS 2u

/* Of a round of refinements. */
struct round {
    const struct search *search;
    const struct refine_base *base;
    uint32_t number, nshort; /* short ones by now */
    bool is_few, is_short;
    bool is_single; /* many tasks, one a host at most */
    bool is_warm;   /* its chains do not forget where they begin */
};

static int run_epochs(bool *done,
                      const struct round *round,
                      struct refine *refine,
                      enum refine_stage stage,
                      struct refine_temperatures range,
                      struct mapcore_error *err)
{
    uint32_t most,
        n = REFINEMENT_ROUND_EPOCHS << (round->is_short ? 0 : round->number);
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
 * chains are so hot that they forget where they began. Single tasks have no
 * clusters. */
static int run_stages(bool *done,
                      const struct round *round,
                      struct refine *refine,
                      uint32_t chain,
                      struct mapcore_error *err)
{
    const struct schedule_temperatures *t = &schedule_temperatures;
    const bool clusters = chain % 2 == 0 && !round->is_single;
    int error =
        clusters ? run_epochs(done, round, refine, REFINE_CLUSTERS,
                              round->is_warm ? t->warm_clusters : t->all, err)
                 : 0;

    return error < 0 ? error
                     : run_epochs(done, round, refine, REFINE_TASKS,
                                  round->is_warm     ? t->warm[chain]
                                  : round->is_single ? t->single
                                  : clusters         ? t->tasks
                                                     : t->all,
                                  err);
}

/* It has random numbers of its own. */
static int run_refinement(struct rounds_chain *chain)
{
    const struct round *round = chain->arg;
    struct mapcore_error *err = chain->err;
    struct refine *refine = NULL;
    bool done = true;
    int error = refine_create(&refine, round->base, chain->host,
                              round->number * CHAINS + chain->i, err);

    if (error == 0 && round->is_short)
        refine_set_pace(refine, REFINEMENT_SHORT_PACE);
    if (error == 0)
        error = run_stages(&done, round, refine, chain->i, err);
    if (error == 0 && done && (error = refine_descend(refine, NULL, err)) == 0)
        refine_get_mapping(chain->host, refine);
    refine_destroy(refine);
    chain->timed_out = !done;
    return error;
}

/* Where the chains of a short round do not agree, the next is a long one. Short
 * and warm rounds have the numbers behind all others. */
static int prepare_refinement(struct rounds *rounds, struct mapcore_error *err)
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
    const bool by_links = choice == MAPCORE_CHOOSE_TIME && !search->goes_on;
    const struct mapcore_alloc *alloc = search->problem.alloc;
    const bool is_few = search->problem.graph->ntasks <= REFINEMENT_SHORT_TASKS;
    struct round round = {.search = search,
                          .base = base,
                          .is_few = is_few,
                          .is_single =
                              !is_few && mapcore_alloc_nslots(alloc) ==
                                             mapcore_alloc_nhosts(alloc)};
    struct rounds rounds = {.search = search,
                            .row =
                                &schedule_rounds[round.is_few ? ROUNDS_FEW
                                                 : by_links ? ROUNDS_SMALL_LINKS
                                                            : ROUNDS_SMALL],
                            .run = run_refinement,
                            .arg = &round,
                            .prepare = prepare_refinement,
                            .end = !by_links      ? 0
                                   : round.is_few ? REFINEMENT_END_FEW
                                                  : REFINEMENT_END_LINKS,
                            .from = start};
    struct schedule_rounds row = *rounds.row;
    const bool is_mesh = single_is(search);
    int error;

    rounds.row = &row;
    if (is_mesh)
        row.most = is_few ? SHORT_ROUNDS : 0;
    error = rounds_run(&rounds, err);
    if (error < 0 || search->is_settled || rounds.agreed >= row.agree)
        return error;
    if (is_mesh)
        return refine_single(search, err);
    if (!is_few || choice != MAPCORE_CHOOSE_HOP_BYTES)
        return 0;
    round.is_warm = true;
    rounds.row = &schedule_rounds[ROUNDS_WARM];
    rounds.from = results_least_average(&search->results);
    return rounds_run(&rounds, err);
}

/* Measured on milc of 65,856 tasks on 23x24x24 between service nodes: hotter
 * is too hot for short rounds, and shorter rounds gain less. hot: as rotation.h
 * has it, by chain. */
static const double turning_hot[CHAINS] = {0.1, 0.4, 0.7, 1};
/* For each cell, in a chain of the first round; and rounds that have twice as
 * many as the one before. */
enum { TURNING_PROPOSALS = 128, TURNING_LONGER = 4 };

struct rotation_round {
    const struct rotation *rotation;
    uint64_t proposals; /* of a chain of this round */
};

static int run_rotation(struct rounds_chain *chain)
{
    const struct rotation_round *turn = chain->arg;
    const struct rotation_how how = {turning_hot[chain->i], turn->proposals};

    return rotation_run(chain->host, &chain->timed_out, turn->rotation, &how,
                        chain->rng, chain->err);
}

static int prepare_rotation(struct rounds *rounds, struct mapcore_error *err)
{
    struct rotation_round *turn = rounds->arg;
    uint32_t longer =
        rounds->round < TURNING_LONGER ? rounds->round : TURNING_LONGER;

    (void)err;
    turn->proposals =
        (uint64_t)rotation_cells(turn->rotation) * TURNING_PROPOSALS << longer;
    return 0;
}

/* What single tasks gain where their cells are now. */
static int descend(struct search *search,
                   const struct refine_base *base,
                   struct mapcore_error *err)
{
    const size_t least = results_least_average(&search->results);
    struct refine *refine = NULL;
    int error = refine_create(&refine, base, search->results.result[least].host,
                              0, err);

    if (error == 0)
        error = refined_add(search, refine, least, err);
    refine_destroy(refine);
    return error;
}

int refine_rotation(struct search *search,
                    const struct refine_base *base,
                    struct mapcore_error *err)
{
    const struct mapcore_search *options = search->options;
    const struct results *results = &search->results;
    const size_t limit = search->limit, start = results_least_average(results);
    const uint64_t began = results->work;
    struct rotation_round turn = {0};
    struct rounds rounds = {.search = search,
                            .row = &schedule_rounds[ROUNDS_ROTATION],
                            .run = run_rotation,
                            .arg = &turn,
                            .prepare = prepare_rotation,
                            .stream = RNG_STREAM_ROTATION,
                            .end = results->rule.choice == MAPCORE_CHOOSE_PARETO
                                       ? REFINEMENT_END_TASKS
                                       : REFINEMENT_END,
                            .from = start};
    struct arena arena = {.err = err};
    int error;

    if (results->rule.choice == MAPCORE_CHOOSE_TIME ||
        (options->work == 0 && !options->expired) ||
        map_deadline_passed(&search->problem.deadline))
        return 0;
    /* Less than that where a schedule is repeated. */
    if (options->schedule.starts > 0 &&
        options->schedule.tasks < limit - results->work)
        search->limit = (size_t)results->work + options->schedule.tasks;
    turn.rotation =
        rotation_make(&search->problem, results->result[start].host, &arena);
    error = arena.error;
    if (error < 0 || !turn.rotation)
        goto out;
    error = rounds_run(&rounds, err);
    search->schedule.tasks = (uint32_t)(search->results.work - began);
    search->has_turned = search->schedule.tasks > 0;
    if (error == 0 && search->has_turned &&
        !map_deadline_passed(&search->problem.deadline))
        error = descend(search, base, err);
out:
    search->limit = limit;
    arena_clear(&arena);
    return error;
}

/* Of chains that go on when links are through, as bottleneck.h has hot.
 * Measured on geometric graphs and grids of 2,048 to 65,856 tasks: what unties
 * an irregular graph is too warm for a grid. */
static const double heat_warm[CHAINS] = {0.003, 0.006, 0.012, 0.024};
static const double heat_cool[CHAINS] = {0, 0.0005, 0.001, 0.002};
enum { HEATED_ROUNDS = 16 }; /* of links, in a chain */
/* Warm rounds have higher numbers than others. */
#define FIRST_WARM (1u << 20)
/* Of this number of tasks all changes are soon seen: it is known before a round
 * that none is better. */
#define FEW_TASKS 128

struct bottleneck_round {
    const struct map_problem *problem;
    struct bottleneck_how how;
    const double *heat;    /* [CHAINS], or NULL: 0 */
    double looked;         /* with that slack */
    bool is_stuck;         /* then */
    double weight[CHAINS]; /* of what the chains come to */
};

static int run_bottleneck(struct rounds_chain *chain)
{
    struct bottleneck_round *turn = chain->arg;
    struct bottleneck_how how = turn->how;

    if (turn->is_stuck)
        return 0;
    how.hot = turn->heat ? turn->heat[chain->i] : 0;
    how.weight = &turn->weight[chain->i];
    return bottleneck_run(chain->host, &chain->timed_out, turn->problem, &how,
                          chain->rng, chain->err);
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

/* By how much hop-bytes may grow before a result is not chosen any more. */
static double slack_of(const struct rounds *rounds)
{
    const struct results *results = &rounds->search->results;

    return choose_most_average(&results->rule, results->metrics, results->n) /
               rounds->average -
           1;
}

/* Whether the round that comes would change nothing. */
static int prepare_bottleneck(struct rounds *rounds, struct mapcore_error *err)
{
    struct bottleneck_round *turn = rounds->arg;

    turn->how.slack = slack_of(rounds);
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
                .rounds = REFINEMENT_TURN_ROUNDS}};
    struct rounds rounds = {.search = search,
                            .row = &schedule_rounds[ROUNDS_SLOWEST],
                            .run = run_bottleneck,
                            .arg = &turn,
                            .prepare = prepare_bottleneck,
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
    turn->how.slack = slack_of(rounds);
    if (rounds->idle > 0)
        turn->heat = turn->heat == heat_warm ? heat_cool : heat_warm;
    return 0;
}

int refine_more(struct search *search, struct mapcore_error *err)
{
    struct bottleneck_round turn = {
        .problem = &search->problem,
        .how = {.goal = BOTTLENECK_LINKS, .rounds = HEATED_ROUNDS},
        .heat = heat_warm};
    struct rounds rounds = {.search = search,
                            .row = &schedule_rounds[ROUNDS_MORE],
                            .run = run_bottleneck,
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
