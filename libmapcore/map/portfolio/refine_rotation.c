/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_rotation.c - what routers hold is turned round, in rounds */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/chains.h"
#include "map/refine/rotation.h"

#include <stdlib.h>
#include <string.h>

/* Results beyond that many are taken out where their hosts are gone. */
#define FORGET_FROM 256

_Static_assert(sizeof(schedule_rotation.hot) == CHAINS * sizeof(double),
               "a temperature for each chain");

struct rotation_rounds {
    struct search *search;
    const struct router_cells *cells;
    uint32_t round;
    uint64_t proposals; /* of a chain of this round */
    uint32_t *host;     /* [ntasks] what a round begins with */
    double average;     /* of it */
};

static int run_chain(uint32_t *host,
                     bool *timed_out,
                     const void *arg,
                     uint32_t i,
                     struct rng *rng,
                     struct mapcore_error *err)
{
    const struct rotation_rounds *rounds = arg;
    const struct rotation_how how = {rounds->cells, schedule_rotation.hot[i],
                                     rounds->proposals};

    return rotation_run(host, timed_out, &how, rng, err);
}

/* Whether something better has come; the next round goes on from there. */
static bool take_best(struct rotation_rounds *rounds)
{
    const struct results *results = &rounds->search->results;
    size_t least = results_least_average(results);

    if (least == SIZE_MAX ||
        results->metrics[least].avg_hop_bytes >= rounds->average)
        return false;
    rounds->average = results->metrics[least].avg_hop_bytes;
    memcpy(rounds->host, results->result[least].host,
           rounds->search->problem.graph->ntasks * sizeof(*rounds->host));
    return true;
}

/* The share of the time where the rounds end. */
static double end_share(const struct search *search)
{
    return search->results.rule.choice == MAPCORE_CHOOSE_PARETO
               ? schedule_refinement.end_tasks
               : schedule_refinement.end;
}

static bool has_more(const struct rotation_rounds *rounds, double took)
{
    struct search *search = rounds->search;

    if (search->results.work < search->limit &&
        !map_deadline_passed(&search->problem.deadline) &&
        search_spent(search) + took <= end_share(search))
        return true;
    search->interrupted = true;
    return false;
}

static int run_rounds(struct rotation_rounds *rounds, struct mapcore_error *err)
{
    struct search *search = rounds->search;
    uint32_t idle = 0;
    double took = 0;
    int error = 0;

    for (rounds->round = 0;
         error == 0 &&
         (idle < schedule_rotation.idle || idle < rounds->round / 2) &&
         has_more(rounds, took);
         rounds->round++) {
        const struct chains chains = {
            .search = search,
            .from = results_least_average(&search->results),
            .start = rounds->host,
            .run = run_chain,
            .arg = rounds,
            .stream = RNG_STREAM_ROTATION,
            .number = rounds->round};
        double began = search_spent(search);
        uint32_t longer = rounds->round < schedule_rotation.longer
                              ? rounds->round
                              : schedule_rotation.longer;
        size_t ran = 0;

        rounds->proposals =
            (uint64_t)rounds->cells->nturning * schedule_rotation.proposals
            << longer;
        error = chains_run(&ran, &chains, err);
        idle = take_best(rounds) ? 0 : idle + 1;
        results_forget(&search->results, FORGET_FROM);
        took = search_spent(search) - began;
    }
    return error;
}

/* What single tasks gain where their cells are now. */
static int descend(struct rotation_rounds *rounds,
                   const struct refine_base *base,
                   struct mapcore_error *err)
{
    struct search *search = rounds->search;
    struct refine *refine = NULL;
    int error = refine_create(&refine, base, rounds->host, 0, err);

    if (error == 0)
        error = refined_add(search, refine,
                            results_least_average(&search->results), err);
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
    struct rotation_rounds rounds = {.search = search};
    struct router_cells *cells = NULL;
    int error = 0;

    if (results->rule.choice == MAPCORE_CHOOSE_TIME ||
        (options->work == 0 && !options->expired) ||
        map_deadline_passed(&search->problem.deadline))
        return 0;
    /* Less than that where a schedule is repeated. */
    if (options->schedule.starts > 0 &&
        options->schedule.tasks < limit - results->work)
        search->limit = (size_t)results->work + options->schedule.tasks;
    if ((error = router_cells_create(&cells, &search->problem,
                                     results->result[start].host, err)) < 0 ||
        !cells)
        goto out;
    rounds.cells = cells;
    rounds.average = results->metrics[start].avg_hop_bytes;
    rounds.host =
        array_copy(results->result[start].host, search->problem.graph->ntasks,
                   sizeof(*rounds.host), err);
    error = rounds.host ? run_rounds(&rounds, err) : MAPCORE_ENOMEM;
    search->schedule.tasks = (uint32_t)(search->results.work - began);
    search->has_turned = search->schedule.tasks > 0;
    if (error == 0 && search->has_turned &&
        !map_deadline_passed(&search->problem.deadline))
        error = descend(&rounds, base, err);
out:
    search->limit = limit;
    free(rounds.host);
    router_cells_destroy(cells);
    return error;
}
