/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* starts.c - ParMapper of ICS'17 section 4.2: many candidates on several
 * threads, one choice that does not depend on their number */
#include "config.h"

#include "map/portfolio/search.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/constrain/pins.h"
#include "map/mapper.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* How much faster the first good mapping is on several threads. */
#define FIRST_GAIN 1.4

/* Results of a list that is not refined are few enough up to here to be kept
 * all. */
#define FORGET_FROM 256

/* A candidate in a pass. */
struct start_run {
    size_t candidate;
    uint32_t pass;
    const struct schedule_stage *row;
    uint32_t *host; /* owned */
    struct mapcore_metrics metrics;
    uint32_t cut; /* the mapper's steps, if time ended it early */
    bool is_random;
    int error;
    struct mapcore_error why;
};

/* Runs that the pool is given together. */
struct batch {
    struct search *search;
    bool is_certain;
    struct start_run *run;
    size_t n;
};

/* When a run ends: what the list finds is refined in the time that is left. */
struct share_deadline {
    const struct search *search;
    double share;
};

static double share_of(const struct search *search, enum schedule_share which)
{
    const struct schedule_shares *share = &schedule_shares[which];

    if (!search->begins_clusters)
        return share->tree;
    return search->skips_clusters ? share->start : share->clusters;
}

/* Whether a run of a row is not begun any more: because of the time, or because
 * it is known not to be through in time. */
static bool is_late(const struct search *search,
                    const struct schedule_stage *row)
{
    double spent = search_spent(search);
    double unit = row->is_first ? search->certain_share : search->first_share;

    return map_deadline_passed(&search->problem.deadline) ||
           (search->refines &&
            (spent > share_of(search, row->begin) ||
             spent + row->cost * unit > share_of(search, row->end)));
}

static bool share_expired(void *arg)
{
    const struct share_deadline *deadline = arg;

    return map_deadline_passed(&deadline->search->problem.deadline) ||
           (deadline->search->refines &&
            search_spent(deadline->search) > deadline->share);
}

/* Whether a schedule that is repeated ends with the run at hand, alone. */
static bool is_last(const struct search *search)
{
    return search->results.work + 1 == search->options->schedule.starts;
}

static int map(struct start_run *run, bool *done, const struct batch *batch)
{
    const struct search *search = batch->search;
    const struct candidate *candidate = &search->list[run->candidate];
    struct mapper_call call = {
        .value = candidate->setting.value,
        .path = candidate->setting.path,
        .seed = search->seed,
        .pass = run->pass,
        .pool = batch->n == 1 ? search->pool : NULL,
        .steps = run->row->is_first || (run->row->may_cut && is_last(search))
                     ? search->options->schedule.cut
                     : 0,
        .may_cut = run->row->is_first || run->row->may_cut};
    struct share_deadline deadline = {search, share_of(search, run->row->end)};
    struct map_problem problem = search->problem;
    struct mapper_end end;
    int error;

    problem.deadline = (struct map_deadline){
        batch->is_certain ? NULL : share_expired, &deadline};
    error = mapper_run(run->host, &end, candidate->mapper, &problem, &call,
                       &run->why);
    *done = error == 0 && !end.timed_out;
    if (*done)
        error = pins_settle(run->host, &problem, &run->why);
    run->is_random = end.is_random;
    run->cut = end.steps;
    return error;
}

/* More than one candidate comes to the baseline itself. */
static int measure(struct start_run *run, const struct search *search)
{
    const struct map_problem *problem = &search->problem;

    if (memcmp(run->host, search->baseline,
               problem->graph->ntasks * sizeof(*run->host)) == 0) {
        run->metrics = search->baseline_metrics;
        return 0;
    }
    return mapcore_metrics_compute(&run->metrics, problem->graph,
                                   problem->alloc, run->host, &run->why);
}

static bool work(void *arg, size_t index)
{
    struct batch *batch = arg;
    const struct map_problem *problem = &batch->search->problem;
    struct start_run *run = &batch->run[index];
    bool done = true;

    if (!batch->is_certain && is_late(batch->search, run->row))
        return false;
    run->host =
        array_alloc(problem->graph->ntasks, sizeof(*run->host), &run->why);
    run->error = run->host ? map(run, &done, batch) : MAPCORE_ENOMEM;
    if (run->error == 0 && done)
        run->error = measure(run, batch->search);
    if (run->error == 0 && done)
        return true;
    free(run->host);
    run->host = NULL;
    return false;
}

static void note_least(struct search *search, size_t candidate, double average)
{
    double *least = &search->least[candidate];

    if (*least < 0 || average < *least)
        *least = average;
}

static void add(void *arg, size_t index)
{
    struct batch *batch = arg;
    struct search *search = batch->search;
    struct start_run *run = &batch->run[index];
    const struct candidate *candidate = &search->list[run->candidate];
    struct result result = {
        .candidate = run->candidate,
        .is_kept = search->refines && (candidate->group == CANDIDATE_CLUSTERS ||
                                       candidate->mapper == &mapper_grid),
        .host = run->host};

    search->repeats[run->candidate] = run->is_random;
    note_least(search, run->candidate, run->metrics.avg_hop_bytes);
    if (run->cut > 0)
        search->schedule.cut = run->cut;
    run->host = NULL;
    results_add(&search->results, &result, &run->metrics);
    results_count(&search->results, 1);
}

/* What the first runs took tells how fast the machine is, and so what there is
 * time for; one that was not begun tells nothing. A schedule that is repeated
 * says it itself. */
static void take_time(struct search *search,
                      const struct schedule_stage *row,
                      double began)
{
    unsigned threads = search->options->threads;
    double now = search_spent(search);

    if (row->is_certain)
        search->certain_share = now;
    if (!row->is_first)
        return;
    search->first_share = (now - began) * (threads > 1 ? FIRST_GAIN : 1);
    if (search->options->schedule.starts == 0)
        search->skips_clusters =
            (1 - now) * (threads > 1 ? threads : 1) <
            REFINEMENT_CLUSTERS_LEAST * search->first_share;
}

static bool stop(void *arg)
{
    const struct batch *batch = arg;

    return !batch->is_certain &&
           map_deadline_passed(&batch->search->problem.deadline);
}

/* *ran: how many runs of the batch counted. */
static int run_batch(size_t *ran,
                     struct batch *batch,
                     struct mapcore_error *err)
{
    struct search *search = batch->search;
    struct pool_job job = {
        .n = batch->n, .work = work, .settle = add, .stop = stop, .arg = batch};
    int error = results_reserve(&search->results, batch->n, err);

    *ran = 0;
    if (error < 0)
        return error;
    *ran = pool_run(search->pool, &job);
    for (size_t i = *ran; i < batch->n; i++)
        free(batch->run[i].host);
    if (*ran < batch->n && batch->run[*ran].error < 0) {
        if (err)
            *err = batch->run[*ran].why;
        return batch->run[*ran].error;
    }
    return 0;
}

/* The row of a stage (its first row, others joined to it) that a candidate is
 * of, or NULL. */
static const struct schedule_stage *row_of(const struct search *search,
                                           const struct schedule_stage *stage,
                                           enum candidate_group group)
{
    const struct schedule_stage *end = search->stages + search->nstages;

    for (const struct schedule_stage *row = stage; row < end; row++) {
        if (row > stage && !row->is_joined)
            break;
        if (row->groups & 1u << group)
            return row->for_clusters && search->skips_clusters ? NULL : row;
    }
    return NULL;
}

/* Whether a candidate is in a pass of a row: where its first run has shown that
 * the seed matters, or a row that shares its time comes to that run. best: the
 * least average so far. */
static bool is_due(const struct search *search,
                   const struct schedule_stage *row,
                   size_t candidate,
                   uint32_t pass,
                   double best)
{
    uint32_t every = search->list[candidate].every;
    bool is_first = search->least[candidate] < 0;

    if (pass == 0 || !(search->repeats[candidate] || is_first))
        return pass == 0;
    if (!row->is_fair || every == 0)
        return true;
    if (search->least[candidate] >= SCHEDULE_FAR * best)
        every *= SCHEDULE_FAR_SHARE;
    return pass % every == 0;
}

static double least_of_all(const struct search *search)
{
    double least = -1;

    for (size_t i = 0; i < search->nlist; i++)
        if (search->least[i] >= 0 && (least < 0 || search->least[i] < least))
            least = search->least[i];
    return least;
}

/* The runs of a stage in `passes` passes, from candidate *next on; *next: the
 * one to go on with, or nlist. */
static void plan(struct batch *batch,
                 size_t *next,
                 const struct schedule_stage *stage,
                 uint32_t pass,
                 uint32_t npasses)
{
    const struct search *search = batch->search;
    double best = least_of_all(search);
    size_t i = *next;

    batch->n = 0;
    for (; i < search->nlist && !(stage->one_by_one && batch->n > 0); i++) {
        const struct schedule_stage *row =
            row_of(search, stage, search->list[i].group);

        for (uint32_t p = pass; row && p < pass + npasses; p++)
            if (is_due(search, row, i, p, best))
                batch->run[batch->n++] =
                    (struct start_run){.candidate = i, .pass = p, .row = row};
    }
    *next = i;
}

/* Units that the list may still take. */
static size_t units_left(const struct search *search)
{
    size_t starts = search->options->schedule.starts;
    uint64_t n = search->results.work; /* a run is a unit */

    if (search->refines && starts > 0)
        return starts > n ? starts - (size_t)n : 0;
    return search->limit - (size_t)n;
}

/* Runs what is planned, or as much as work is left for. */
static int run_planned(struct batch *batch, struct mapcore_error *err)
{
    struct search *search = batch->search;
    size_t planned = batch->n, left = units_left(search), ran = 0;
    double began = search_spent(search);
    int error = 0;

    if (batch->n > left)
        batch->n = left;
    if (batch->n > 0)
        error = run_batch(&ran, batch, err);
    search->interrupted = error == 0 && ran < planned;
    if (error == 0 && ran > 0)
        take_time(search, batch->run[0].row, began);
    return error;
}

/* *better: whether the batch before found something better. */
static int run_stage(bool *better,
                     struct batch *batch,
                     const struct schedule_stage *stage,
                     struct mapcore_error *err)
{
    struct search *search = batch->search;
    const struct mapcore_search *options = search->options;
    uint32_t step = stage->passes_together > 0 ? stage->passes_together : 1;
    uint32_t pass = stage->first_pass, end = pass + 1 + stage->more;
    bool is_bounded = options->work > 0 || options->expired;
    size_t next = 0;
    int error = 0;

    batch->is_certain = stage->is_certain;
    if (is_bounded ? stage->if_unbounded : stage->if_bounded)
        return 0;
    while (error == 0 && pass < end && !search->interrupted &&
           !results_are_perfect(&search->results)) {
        size_t best = search->results.best;

        if (stage->while_better && !*better)
            break;
        plan(batch, &next, stage, pass, step);
        if (next == search->nlist) {
            pass += step;
            next = 0;
        }
        if (batch->n == 0)
            continue;
        error = run_planned(batch, err);
        *better = search->results.best != best;
        if (!search->refines)
            results_forget(&search->results, FORGET_FROM);
    }
    return error;
}

int starts_run(struct search *search, struct mapcore_error *err)
{
    size_t most =
        schedule_most_runs(search->stages, search->nstages, search->nlist);
    struct batch batch = {.search = search};
    bool better = false;
    int error = 0;

    batch.run = array_alloc(most, sizeof(*batch.run), err);
    if (!batch.run)
        return MAPCORE_ENOMEM;
    for (size_t i = 0;
         error == 0 && i < search->nstages && !search->interrupted; i++)
        if (!search->stages[i].is_joined)
            error = run_stage(&better, &batch, &search->stages[i], err);
    free(batch.run);
    return error;
}
