/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* portfolio.c - ParMapper of ICS'17 section 4.2: many candidates on several
 * threads, one choice that does not depend on their number */
#include "config.h"

#include "map/portfolio/portfolio.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/portfolio/refinement.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Rounds after which a list ends even if the last one improved something:
 * for the portfolio passes over its list, for one mapper batches of seeds. */
#define MAX_PASSES  16
#define MAX_BATCHES 64
#define BATCH       64

/* The share of the time after which no more starts for the refinement are
 * begun but the first few, where that needs time for lumps and where not, and
 * after which those end, too. What very many tasks wait for is better than
 * anything that could be done without it. */
static const double START_SHARE = 0.1, START_SHARE_TREE = 0.2,
                    FIRST_SHARE = 0.75, SOLO_SHARE = 0.9;

/* One unit of work: a candidate with the seeds of one pass. */
struct unit {
    size_t candidate;
    uint32_t pass;
    uint32_t *host; /* owned */
    struct mapcore_metrics metrics;
    bool drew;
    int code;
    struct mapcore_error error;
};

/* Units that are run together. */
struct batch {
    struct search *search;
    struct map_problem problem;
    struct unit *unit;
    size_t n;
};

/* The deadlines of a list: what it finds is refined in the time that is left.
 */
static bool is_past(const struct search *search, double share)
{
    return map_deadline_passed(&search->problem.deadline) ||
           (search->refines && search_spent(search) > share);
}

static bool starts_expired(void *arg)
{
    const struct search *search = arg;

    return is_past(search, search->lumps ? START_SHARE : START_SHARE_TREE);
}

static bool first_expired(void *arg)
{
    return is_past(arg, FIRST_SHARE);
}

static bool solo_expired(void *arg)
{
    return is_past(arg, SOLO_SHARE);
}

static int run_mapper(struct unit *unit, bool *done, const struct batch *batch)
{
    const struct search *search = batch->search;
    const struct candidate *candidate = &search->list[unit->candidate];
    struct mapper_call call = {
        .value = candidate->setting.value,
        .path = candidate->setting.path,
        .seed = search->seed,
        .pass = unit->pass,
        .threads = batch->n == 1 ? search->options->threads : 1};
    struct map_problem problem = batch->problem;
    struct mapper_end end = {0};
    int code;

    if (problem.deadline.expired && !candidate->is_greedymap)
        problem.deadline.expired =
            unit->candidate < search->nhead + search->nsolo ? solo_expired
                                                            : first_expired;
    code =
        candidate->mapper->run(unit->host, &end, &problem, &call, &unit->error);
    *done = code == 0 && !end.timed_out;
    unit->drew = end.is_random;
    return code;
}

static bool work(void *arg, size_t index)
{
    struct batch *batch = arg;
    const struct search *search = batch->search;
    struct unit *unit = &batch->unit[index];
    bool done = true;

    if (!search->list[unit->candidate].first &&
        map_deadline_passed(&batch->problem.deadline))
        return false;
    unit->host = array_alloc(batch->problem.graph->ntasks, sizeof(*unit->host),
                             &unit->error);
    if (!unit->host)
        unit->code = MAPCORE_ENOMEM;
    else
        unit->code = run_mapper(unit, &done, batch);
    if (unit->code == 0 && done)
        unit->code = mapcore_metrics_compute(
            &unit->metrics, batch->problem.graph, batch->problem.alloc,
            unit->host, &unit->error);
    if (unit->code == 0 && done)
        return true;
    free(unit->host);
    unit->host = NULL;
    return false;
}

int portfolio_reserve(struct search *search,
                      size_t n,
                      struct mapcore_error *err)
{
    int error = array_reserve(&search->settled, &search->settled_room,
                              search->n + n, sizeof(*search->settled), err);

    return error < 0
               ? error
               : array_reserve(&search->metrics, &search->metrics_room,
                               search->n + n, sizeof(*search->metrics), err);
}

void portfolio_count(struct search *search, uint64_t units)
{
    search->work += units;
    if (search->options->progress)
        search->options->progress(search->options->progress_arg, search->work);
}

static bool is_lumps(const struct search *search, const struct settled *result)
{
    return search->refines && search->list[result->candidate].lumps;
}

/* The places of whatever cannot win any more are forgotten: only candidates on
 * the front of the choice stay in memory. */
void portfolio_settle(struct search *search,
                      const struct settled *result,
                      const struct mapcore_metrics *metrics)
{
    search->metrics[search->n] = *metrics;
    search->settled[search->n] = *result;
    search->n++;
    search->best = choose_best(&search->rule, search->metrics, search->n);
    for (size_t i = 0; i < search->n; i++) {
        struct settled *old = &search->settled[i];

        if (old->host && i != search->best && !is_lumps(search, old) &&
            !choose_may_win(&search->rule, search->metrics, search->n, i)) {
            free(old->host);
            old->host = NULL;
        }
    }
}

static void settle(void *arg, size_t index)
{
    struct batch *batch = arg;
    struct search *search = batch->search;
    struct unit *unit = &batch->unit[index];
    struct settled result = {.candidate = unit->candidate, .host = unit->host};

    search->repeats[unit->candidate] = unit->drew;
    unit->host = NULL;
    portfolio_settle(search, &result, &unit->metrics);
    portfolio_count(search, 1);
}

static bool stop(void *arg)
{
    const struct batch *batch = arg;

    return batch->problem.deadline.expired &&
           map_deadline_passed(&batch->search->problem.deadline);
}

/* Whether nothing can be better: all traffic stays inside hosts. */
static bool is_perfect(const struct search *search)
{
    return search->best != SIZE_MAX &&
           !(search->metrics[search->best].avg_hop_bytes > 0);
}

/* Whether the passes are through before this round. */
static bool is_over(const struct search *search,
                    unsigned round,
                    bool last_improved)
{
    const struct mapcore_search *options = search->options;

    if (round == 0)
        return false;
    if (is_perfect(search))
        return true;
    if (search->refines)
        return search_is_single(search) || round > 1 + search->nsolo;
    if (!search_is_single(search))
        return round > 1 && (!last_improved || round > MAX_PASSES);
    return !search->repeats[0] || round > MAX_BATCHES ||
           (options->work == 0 && !options->expired);
}

/* The units of a round; round 0 always counts. A list: its head, then what runs
 * by itself, then a pass a round, then what is too dear for every pass. One
 * mapper: a single run, then more seeds. */
static void plan_round(struct batch *batch,
                       const struct search *search,
                       unsigned round,
                       bool dear)
{
    uint32_t pass = round > 0 && !dear ? round - 1 : 0;
    size_t from = 0;
    size_t to = round == 0 ? search->nhead : search->npass;

    batch->n = 0;
    if (search_is_single(search)) {
        size_t n = round == 0 ? 1 : BATCH;

        for (size_t i = 0; i < n; i++)
            batch->unit[batch->n++].pass =
                round == 0 ? 0 : (uint32_t)(1 + (round - 1) * BATCH + i);
        return;
    }
    if (dear) {
        from = search->npass;
        to = search->nlist;
    } else if (round > 0 && round <= search->nsolo) {
        from = search->nhead + round - 1;
        to = from + 1;
        pass = 0;
    } else if (round == 1 + search->nsolo) {
        from = search->nhead + search->nsolo;
        pass = 0;
    }
    for (size_t i = from; i < to; i++)
        if (pass == 0 || search->repeats[i]) {
            batch->unit[batch->n].candidate = i;
            batch->unit[batch->n++].pass = pass;
        }
}

/* Runs the units of a round; *settled tells how many of batch->n counted. */
static int run_round(size_t *settled,
                     struct batch *batch,
                     unsigned round,
                     struct mapcore_error *err)
{
    struct search *search = batch->search;
    struct pool_job job = {.n = batch->n,
                           .threads = search->options->threads,
                           .work = work,
                           .settle = settle,
                           .stop = stop,
                           .arg = batch};
    int code;

    if ((code = portfolio_reserve(search, batch->n, err)) < 0)
        return code;
    batch->problem.deadline.arg = search;
    batch->problem.deadline.expired = round > 0 ? starts_expired : NULL;
    *settled = pool_run(&job);
    for (size_t i = *settled; i < batch->n; i++)
        free(batch->unit[i].host);
    if (*settled < batch->n && batch->unit[*settled].code < 0) {
        if (err)
            *err = batch->unit[*settled].error;
        return batch->unit[*settled].code;
    }
    return 0;
}

static int run_list(struct search *search, struct mapcore_error *err)
{
    size_t room = search->nlist > BATCH ? search->nlist : BATCH;
    struct unit *unit = array_alloc(room, sizeof(*unit), err);
    bool improved = false, dear = false;
    int error = unit ? 0 : MAPCORE_ENOMEM;

    for (unsigned round = 0; error == 0 && !search->cut && !dear; round++) {
        struct batch batch = {
            .search = search, .problem = search->problem, .unit = unit};
        size_t best = search->best, left = search->limit - search->n;
        size_t planned, settled;

        if (search->refines && search->options->schedule.starts > 0)
            left = search->options->schedule.starts > search->n
                       ? search->options->schedule.starts - search->n
                       : 0;
        dear = is_over(search, round, improved);
        if (dear &&
            (search_is_single(search) || search->refines || is_perfect(search)))
            break;
        memset(unit, 0, room * sizeof(*unit));
        plan_round(&batch, search, round, dear);
        planned = batch.n;
        if (planned > left)
            batch.n = left;
        if (planned == 0)
            break;
        if (batch.n == 0) {
            search->cut = true;
            break;
        }
        error = run_round(&settled, &batch, round, err);
        search->cut = error == 0 && settled < planned;
        improved = search->best != best;
    }
    free(unit);
    return error;
}

int portfolio_run(struct search *search, struct mapcore_error *err)
{
    int error = run_list(search, err);

    if (error < 0 || !search->refines)
        return error;
    search->schedule.starts = (uint32_t)search->n;
    if (is_perfect(search))
        return 0;
    return improve_run(search, err);
}
