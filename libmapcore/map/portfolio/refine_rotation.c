/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_rotation.c - what routers hold is turned round, in rounds */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "map/refine/rotation.h"

_Static_assert(sizeof(schedule_rotation.hot) == CHAINS * sizeof(double),
               "a temperature for each chain");

struct rotation_round {
    const struct rotation *rotation;
    uint64_t proposals; /* of a chain of this round */
};

static int run_chain(uint32_t *host,
                     bool *timed_out,
                     void *arg,
                     uint32_t i,
                     struct rng *rng,
                     struct mapcore_error *err)
{
    const struct rotation_round *turn = arg;
    const struct rotation_how how = {schedule_rotation.hot[i], turn->proposals};

    return rotation_run(host, timed_out, turn->rotation, &how, rng, err);
}

static int prepare(struct rounds *rounds, struct mapcore_error *err)
{
    struct rotation_round *turn = rounds->arg;
    uint32_t longer = rounds->round < schedule_rotation.longer
                          ? rounds->round
                          : schedule_rotation.longer;

    (void)err;
    turn->proposals =
        (uint64_t)rotation_cells(turn->rotation) * schedule_rotation.proposals
        << longer;
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
                            .run = run_chain,
                            .arg = &turn,
                            .prepare = prepare,
                            .stream = RNG_STREAM_ROTATION,
                            .end = results->rule.choice == MAPCORE_CHOOSE_PARETO
                                       ? schedule_refinement.end_tasks
                                       : schedule_refinement.end,
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
