/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last_choice.c - the results that are left, by the time of all types, and
 * better ones made of the best of them */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"
#include "map/constrain/pins.h"
#include "map/refine/phase_descent.h"

#include <math.h>
#include <stdlib.h>

enum {
    FINALISTS = 16,       /* of a small problem */
    FINALISTS_LARGE = 4,  /* or fewer, where estimates cost more: */
    MOST_FLOWS = 1 << 21, /* of all that are estimated together */
};

static bool goes_by_work(const struct search *search)
{
    return search->workload != NULL;
}

bool last_choice_goes_by_types(const struct search *search)
{
    return goes_by_work(search) && search->workload != &search->links_alone;
}

static size_t count_flows(const struct mapcore_workload *work)
{
    size_t n = 0;

    for (size_t i = 0; i < work->n; i++)
        if (work->type[i].scale > 0)
            n += work->type[i].phases
                     ? work->type[i].phases->first[work->type[i].phases->n]
                     : work->type[i].graph->row[work->type[i].graph->ntasks];
    return n;
}

static bool is_staged(const struct mapcore_workload *work)
{
    for (size_t i = 0; i < work->n; i++)
        if (work->type[i].scale > 0 && work->type[i].phases &&
            work->type[i].staging.make)
            return true;
    return false;
}

/* The tables of the phases that there are under a mapping. */
static int make_tables(struct search *search,
                       const uint32_t *host,
                       struct mapcore_error *err)
{
    const struct mapcore_workload *work = search->workload;
    struct mapcore_phases **phases = array_alloc(work->n, sizeof(*phases), err);
    struct mapcore_workload under = {
        .rates = work->rates, .n = work->n, .traffic = work->traffic};
    struct phase_tables *tables = NULL;
    int error = 0;

    under.type = array_alloc(work->n, sizeof(*under.type), err);
    if (!phases || !under.type)
        error = MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < work->n; i++)
        error = mapcore_work_type_under(&under.type[i], &phases[i],
                                        &work->type[i], host, err);
    if (error == 0)
        error = phase_tables_create(&tables, &search->problem, &under, err);
    /* Too large ones: those before them are still good to go by. */
    if (error == 0 && tables) {
        phase_tables_destroy(search->tables);
        search->tables = tables;
    }
    for (size_t i = 0; phases && i < work->n; i++)
        mapcore_phases_destroy(phases[i]);
    free(phases);
    free(under.type);
    return error;
}

/* Without a workload the graph alone is one, where there are not many tasks. */
static void take_workload(struct search *search)
{
    const struct mapcore_workload *given = search->options->workload;

    if (search->results.rule.choice != MAPCORE_CHOOSE_TIME)
        return;
    if (given && given->n > 0)
        search->workload = given;
    else if (search->problem.graph->ntasks < REFINEMENT_SMALL) {
        search->links = (struct mapcore_work_type){
            .graph = search->problem.graph, .scale = 1};
        search->links_alone =
            (struct mapcore_workload){.type = &search->links, .n = 1};
        search->workload = &search->links_alone;
    }
}

int last_choice_begin(struct search *search, struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    size_t flows, most;

    take_workload(search);
    if (!goes_by_work(search))
        return 0;
    if (problem->graph->ntasks < REFINEMENT_SMALL) {
        search->results.finalists = FINALISTS;
        return phase_tables_create(&search->tables, problem, search->workload,
                                   err);
    }
    flows = count_flows(search->workload);
    most = MOST_FLOWS / (flows > 0 ? flows : 1);
    search->results.finalists = most < FINALISTS_LARGE ? most : FINALISTS_LARGE;
    return 0;
}

void last_choice_end(struct search *search)
{
    phase_tables_destroy(search->tables);
    search->tables = NULL;
}

/* The time of a result; INFINITY of what the rule leaves out. */
static int measure(double *out,
                   struct search *search,
                   size_t i,
                   struct mapcore_error *err)
{
    struct result *result = &search->results.result[i];
    int error = 0;

    *out = INFINITY;
    if (choose_left_out(&search->results.rule, &search->results.metrics[i]))
        return 0;
    if (!result->has_seconds && search->workload == &search->links_alone)
        result->seconds = search->results.metrics[i].max_link_time;
    else if (!result->has_seconds)
        error = mapcore_workload_cost(&result->seconds, search->workload,
                                      search->problem.alloc, result->host, err);
    if (error < 0)
        return error;
    result->has_seconds = true;
    *out = result->seconds;
    return 0;
}

/* *out: which of the results that are left takes least, or SIZE_MAX. */
static int find_least(size_t *out,
                      struct search *search,
                      struct mapcore_error *err)
{
    const struct results *results = &search->results;
    double least = INFINITY, seconds;

    *out = SIZE_MAX;
    for (size_t i = 0; i < results->n; i++) {
        int error;

        if (!results->result[i].host)
            continue;
        if ((error = measure(&seconds, search, i, err)) < 0)
            return error;
        if (seconds < least ||
            (seconds <= least && seconds < INFINITY && i == results->best)) {
            least = seconds;
            *out = i;
        }
    }
    return 0;
}

/* Where nothing else is done, chains have twice as much work every second
 * round, up to one. */
enum { MOST_ROUND = 14, FEWEST = 16 };

/* Of chains, as phase_descent.h has them. Few tasks: what they begin with is
 * warmed, or forgotten. Many have been refined before: of 80 to 160 tasks in
 * eight drawn rows of contrib/simgrid two were 3 and 5% better with a hot chain
 * among them than with all of them as cold as the others; where all are as hot
 * as those of few tasks some are up to 12% better, in ten times the time, and
 * others up to 20% worse. */
struct turn {
    struct phase_descent how;
    double energy[CHAINS]; /* of what chains have come to */
    bool forgets;          /* every second chain */
    double hot[CHAINS];
    uint32_t work; /* of a task in the first round; there are FEWEST at least */
};
static const struct turn turn_few = {.how.cold = 0.0005,
                                     .forgets = true,
                                     .hot = {0.05, 1, 0.01, 0.5},
                                     .work = 768};
static const struct turn turn_many = {.how.cold = 0.0001,
                                      .hot = {0.01, 0.001, 0.003, 0.0005},
                                      .work = 1536};

static int run_chain(struct rounds_chain *chain)
{
    struct turn *turn = chain->arg;
    struct phase_descent how = turn->how;

    how.forgets = turn->forgets && chain->i % 2 != 0;
    how.hot = turn->hot[chain->i];
    return phase_descent_run(chain->host, &turn->energy[chain->i],
                             &chain->timed_out, &how, chain->rng, chain->err);
}

static int prepare(struct rounds *rounds, struct mapcore_error *err)
{
    const uint32_t ntasks = rounds->search->problem.graph->ntasks;
    struct turn *turn = rounds->arg;
    struct phase_descent *how = &turn->how;
    int error =
        how->moves_hosts ? make_tables(rounds->search, rounds->host, err) : 0;

    how->tables = rounds->search->tables;
    how->work = (uint64_t)turn->work * (ntasks > FEWEST ? ntasks : FEWEST);
    for (uint32_t i = 2;
         rounds->row->agree > 0 && i <= rounds->round && i <= MOST_ROUND;
         i += 2)
        how->work *= 2;
    return error;
}

/* A start: hosts filled with what flows join, one communicator after another.
 */
static int add_packed(struct search *search,
                      const struct mapcore_phases *phases,
                      struct arena *arena)
{
    const uint32_t n = search->problem.graph->ntasks;
    uint32_t *group = arena_alloc(arena, n, sizeof(*group));
    uint32_t *first = arena_alloc(arena, (size_t)n + 1, sizeof(*first));
    uint32_t *task = arena_alloc(arena, n, sizeof(*task));
    uint32_t *place = arena_copy(arena, search->baseline, n, sizeof(*place));
    uint32_t *host = array_alloc(n, sizeof(*host), arena->err);
    int error = arena->error || !host ? MAPCORE_ENOMEM : 0;

    for (uint32_t t = 0; error == 0 && t < n; t++)
        group[t] = t;
    for (bool more = error == 0; more;) {
        more = false;
        for (size_t k = 0; k < phases->first[phases->n]; k++) {
            uint32_t *a = &group[phases->flow[k].from];
            uint32_t *b = &group[phases->flow[k].to];

            more = more || *a != *b;
            *a = *b = *a < *b ? *a : *b;
        }
    }
    if (error == 0) {
        array_sort_u32(place, n);
        bucket_items(first, task, group, n, n);
        for (uint32_t i = 0; i < n; i++)
            host[task[i]] = place[i];
        error = pins_settle(host, &search->problem, arena->err);
    }
    if (error == 0)
        return refined_take(search, host, 0, true, arena->err);
    free(host);
    return error;
}

/* What a collective by node sends depends on which of its ranks share a host,
 * and annealing keeps what its start has: where a host has one rank of each
 * bcast it ended at 2003 us, where it has four of one bcast at 773. */
static int add_all_packed(struct search *search, struct mapcore_error *err)
{
    const struct mapcore_workload *work = search->workload;
    struct arena arena = {.err = err};
    int error = 0;

    for (size_t i = 0; error == 0 && i < work->n; i++)
        if (work->type[i].scale > 0 && work->type[i].staging.make &&
            work->type[i].phases)
            error = add_packed(search, work->type[i].phases, &arena);
    arena_clear(&arena);
    return error;
}

int last_choice_refine(struct search *search,
                       uint32_t first,
                       uint32_t patience,
                       struct mapcore_error *err)
{
    const struct choose_rule *rule = &search->results.rule;
    const uint32_t ntasks = search->problem.graph->ntasks;
    const bool is_alone = ntasks <= REFINEMENT_SHORT_TASKS;
    struct turn turn = is_alone ? turn_few : turn_many;
    struct schedule_rounds row =
        schedule_rounds[is_alone ? ROUNDS_TYPES_ALONE : ROUNDS_TYPES];
    struct rounds rounds = {.search = search,
                            .row = &row,
                            .run = run_chain,
                            .arg = &turn,
                            .tie = is_alone ? turn.energy : NULL,
                            .prepare = prepare,
                            .measure = measure,
                            .stream = RNG_STREAM_PHASES,
                            .first = first,
                            .are_short = ntasks <= REFINEMENT_SHORT_TASKS / 4,
                            .end = 1,
                            .from = SIZE_MAX};
    int error;

    if (!search->tables)
        return 0;
    if (first == 0 && (error = add_all_packed(search, err)) < 0)
        return error;
    if ((error = find_least(&rounds.from, search, err)) < 0 ||
        rounds.from == SIZE_MAX)
        return error;
    turn.how.problem = &search->problem;
    turn.how.slowest =
        is_alone && rule->baseline ? rule->baseline->max_link_time : INFINITY;
    turn.how.moves_hosts = is_staged(search->workload);
    row.idle = patience;
    return rounds_run(&rounds, err);
}

int last_choice(struct search *search, bool keeps, struct mapcore_error *err)
{
    size_t least = SIZE_MAX;
    int error = goes_by_work(search) ? find_least(&least, search, err) : 0;

    if (least != SIZE_MAX && keeps)
        search->results.result[least].is_kept = true;
    else if (least != SIZE_MAX)
        search->results.best = least;
    return error;
}
