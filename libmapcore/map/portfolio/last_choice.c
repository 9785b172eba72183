/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* last_choice.c - the results that are left, by the time of all types, and
 * better ones made of the best of them */
#include "config.h"

#include "map/portfolio/last_choice.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/chains.h"
#include "map/refine/phase_descent.h"

#include <stdlib.h>
#include <string.h>

enum {
    FINALISTS = 16,       /* of a small problem */
    FINALISTS_LARGE = 4,  /* or fewer, where estimates cost more: */
    MOST_FLOWS = 1 << 21, /* of all that are estimated together */
    TURNS = 12,           /* at most */
    SWEEPS = 48,
};
/* Less is not worth another turn. */
static const double WORTH = 0.005;

static bool goes_by_work(const struct search *search)
{
    return search->options->workload && search->options->workload->n > 0 &&
           search->results.rule.choice == MAPCORE_CHOOSE_TIME;
}

bool last_choice_counts_messages(const struct search *search)
{
    return goes_by_work(search) &&
           mapcore_workload_counts_messages(search->options->workload);
}

static size_t count_flows(const struct mapcore_workload *work)
{
    size_t n = 0;

    for (size_t i = 0; i < work->n; i++)
        n += work->type[i].phases
                 ? work->type[i].phases->first[work->type[i].phases->n]
                 : work->type[i].graph->row[work->type[i].graph->ntasks];
    return n;
}

static bool is_staged(const struct mapcore_workload *work)
{
    for (size_t i = 0; i < work->n; i++)
        if (work->type[i].phases && work->type[i].staging.make)
            return true;
    return false;
}

/* The tables of the phases that there are under a mapping. */
static int make_tables(struct search *search,
                       const uint32_t *host,
                       struct mapcore_error *err)
{
    const struct mapcore_workload *work = search->options->workload;
    struct mapcore_phases **phases = array_alloc(work->n, sizeof(*phases), err);
    struct mapcore_workload under = {.rates = work->rates, .n = work->n};
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

int last_choice_begin(struct search *search, struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    size_t flows, most;

    if (!goes_by_work(search))
        return 0;
    if (problem->graph->ntasks < schedule_refinement.small) {
        search->results.finalists = FINALISTS;
        return phase_tables_create(&search->tables, problem,
                                   search->options->workload, err);
    }
    flows = count_flows(search->options->workload);
    most = MOST_FLOWS / (flows > 0 ? flows : 1);
    search->results.finalists = most < FINALISTS_LARGE ? most : FINALISTS_LARGE;
    return 0;
}

void last_choice_end(struct search *search)
{
    phase_tables_destroy(search->tables);
    search->tables = NULL;
}

/* The time of every result that is left and has none yet; *out: the least, or
 * SIZE_MAX. What the rule leaves out does not count. */
static int find_least(size_t *out,
                      struct search *search,
                      struct mapcore_error *err)
{
    struct results *results = &search->results;

    *out = SIZE_MAX;
    for (size_t i = 0; i < results->n; i++) {
        struct result *result = &results->result[i];
        int error = 0;

        if (!result->host ||
            choose_left_out(&results->rule, &results->metrics[i]))
            continue;
        if (!result->has_seconds)
            error = mapcore_workload_time(
                &result->seconds, search->options->workload,
                search->problem.alloc, result->host, err);
        if (error < 0)
            return error;
        result->has_seconds = true;
        if (*out == SIZE_MAX ||
            result->seconds < results->result[*out].seconds ||
            (result->seconds == results->result[*out].seconds &&
             i == results->best))
            *out = i;
    }
    return 0;
}

static int run_chain(uint32_t *host,
                     bool *timed_out,
                     const void *arg,
                     uint32_t i,
                     struct rng *rng,
                     struct mapcore_error *err)
{
    const struct phase_descent *how = arg;

    /* All exchanges are the same whoever tries them. */
    return how->sweeps == 0 && i > 0
               ? 0
               : phase_descent_run(host, timed_out, how, rng, err);
}

static int run_turn(size_t *least,
                    size_t *ran,
                    struct search *search,
                    uint32_t number,
                    struct mapcore_error *err)
{
    const uint32_t ntasks = search->problem.graph->ntasks;
    const bool is_short = ntasks <= schedule_refinement.short_tasks;
    struct phase_descent how = {.problem = &search->problem,
                                .moves_hosts =
                                    is_staged(search->options->workload),
                                .sweeps = is_short ? 0 : SWEEPS};
    const size_t first = search->results.n;
    uint32_t *host = array_copy(search->results.result[*least].host, ntasks,
                                sizeof(*host), err);
    struct chains chains = {.search = search,
                            .from = *least,
                            .start = host,
                            .run = run_chain,
                            .arg = &how,
                            .stream = RNG_STREAM_PHASES,
                            .number = number,
                            .are_short = is_short,
                            .keeps = true};
    int error = host ? 0 : MAPCORE_ENOMEM;

    if (error == 0 && how.moves_hosts)
        error = make_tables(search, host, err);
    how.tables = search->tables;
    if (error == 0)
        error = chains_run(ran, &chains, err);
    free(host);
    if (error == 0)
        error = find_least(least, search, err);
    if (error == 0)
        results_drop(&search->results, first, *least);
    return error;
}

int last_choice_refine(struct search *search,
                       uint32_t first,
                       uint32_t patience,
                       struct mapcore_error *err)
{
    struct results *results = &search->results;
    uint32_t idle = 0;
    size_t least = SIZE_MAX, ran = CHAINS;
    int error = search->tables ? find_least(&least, search, err) : 0;

    if (least == SIZE_MAX)
        return error;
    for (uint32_t i = 0;
         error == 0 && i < TURNS && idle < patience && ran == CHAINS; i++) {
        const double before = results->result[least].seconds;

        if (!(before > 0))
            break;
        error = run_turn(&least, &ran, search, first + i, err);
        if (error == 0 && ran == CHAINS)
            idle = results->result[least].seconds > before * (1 - WORTH)
                       ? idle + 1
                       : 0;
    }
    search->interrupted = search->interrupted || ran < CHAINS;
    return error;
}

int last_choice_keep(struct search *search, struct mapcore_error *err)
{
    size_t least = SIZE_MAX;
    int error = goes_by_work(search) ? find_least(&least, search, err) : 0;

    if (least != SIZE_MAX)
        search->results.result[least].is_kept = true;
    return error;
}

int last_choice(struct search *search, struct mapcore_error *err)
{
    size_t least = SIZE_MAX;
    int error;

    if (!goes_by_work(search))
        return 0;
    if ((error = find_least(&least, search, err)) == 0 && least != SIZE_MAX)
        search->results.best = least;
    return error;
}
