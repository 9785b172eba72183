/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* portfolio.c - ParMapper of ICS'17 section 4.2: many candidates on several
 * threads, one choice that does not depend on their number */
#include "config.h"

#include "map/map.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/candidates.h"
#include "map/choose.h"
#include "map/purpose.h"
#include "map/slots.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Rounds after which a list ends even if the last one improved something:
 * for the portfolio passes over its list, for one mapper batches of seeds. */
#define MAX_PASSES  16
#define MAX_BATCHES 64
#define BATCH       64

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

/* What remains of a unit that counts. */
struct settled {
    size_t candidate;
    uint32_t *host; /* owned; NULL once it cannot win any more */
};

struct search {
    const struct mapcore_search *options;
    struct greedymap_problem problem;
    struct choose_rule rule;
    uint64_t seed;
    size_t limit;           /* units, or SIZE_MAX */
    struct candidate *list; /* [nlist] */
    size_t nlist;
    size_t npass;  /* candidates below are in every pass, the others follow all
                      passes, once */
    bool *repeats; /* [nlist] other seeds may give other results */
    uint32_t *baseline; /* [ntasks] */
    struct mapcore_metrics baseline_metrics;
    uint32_t *custom; /* [ntasks], or NULL */

    struct settled *settled;         /* [n] */
    struct mapcore_metrics *metrics; /* [n] */
    size_t n, settled_room, metrics_room;
    size_t best; /* index, or SIZE_MAX */
    bool cut;
};

/* Units that are run together, with the task lists that they share. */
struct batch {
    struct search *search;
    struct greedymap_problem problem;
    struct orders *orders; /* NULL: every unit its own, for they are of
                              different passes */
    struct unit *unit;
    size_t n;
};

static bool is_single(const struct search *search)
{
    return search->options->mapper != NULL;
}

/* Hosts of a layout that needs no search. */
static int lay_out(uint32_t *host,
                   const struct search *search,
                   enum candidate_kind kind,
                   struct mapcore_error *err)
{
    uint32_t ntasks = search->problem.graph->ntasks;
    struct mapcore_mapping *mapping = NULL;
    int code;

    if (kind == CANDIDATE_DEFAULT && search->baseline) {
        memcpy(host, search->baseline, ntasks * sizeof(*host));
        return 0;
    }
    code = (kind == CANDIDATE_CYCLIC ? mapcore_mapping_cyclic
                                     : mapcore_mapping_block)(
        &mapping, search->problem.alloc, ntasks, err);
    if (code == 0)
        memcpy(host, mapping->host, ntasks * sizeof(*host));
    mapcore_mapping_destroy(mapping);
    return code;
}

static int run_greedymap(struct unit *unit, bool *done, struct batch *batch)
{
    const struct search *search = batch->search;
    const struct greedymap_config *config =
        &search->list[unit->candidate].config;
    struct orders *own = NULL, *orders = batch->orders;
    enum greedymap_end end = GREEDYMAP_CUT;
    const uint32_t *list;
    struct rng rng;
    int code;

    if (!orders) {
        if ((code = orders_create(&own, batch->problem.graph,
                                  batch->problem.alloc, search->custom,
                                  search->seed, unit->pass, &unit->error)) < 0)
            return code;
        orders = own;
    }
    code = orders_get(&list, orders, config->order, &batch->problem.clock,
                      &unit->error);
    if (code < 0 || !list)
        goto out;
    rng_init(&rng, search->seed, PURPOSE_GREEDYMAP,
             greedymap_number(config) << 16 | unit->pass);
    code = greedymap_run(unit->host, &end, &unit->drew, &batch->problem, config,
                         list, &rng, &unit->error);
out:
    *done = code == 0 && end == GREEDYMAP_DONE;
    orders_destroy(own);
    return code;
}

static bool work(void *arg, size_t index)
{
    struct batch *batch = arg;
    const struct search *search = batch->search;
    struct unit *unit = &batch->unit[index];
    enum candidate_kind kind = search->list[unit->candidate].kind;
    bool done = true;

    unit->host = array_alloc(batch->problem.graph->ntasks, sizeof(*unit->host),
                             &unit->error);
    if (!unit->host)
        unit->code = MAPCORE_ENOMEM;
    else if (kind == CANDIDATE_GREEDYMAP)
        unit->code = run_greedymap(unit, &done, batch);
    else
        unit->code = lay_out(unit->host, search, kind, &unit->error);
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

static bool depends_on_pass(enum order_kind order)
{
    return order == ORDER_BFS || order == ORDER_BFS_DFS || order == ORDER_GPART;
}

/* Takes a unit into account and forgets the places of whatever cannot win
 * any more: only candidates on the front of the choice stay in memory. Room
 * was made before. */
static void settle(void *arg, size_t index)
{
    struct batch *batch = arg;
    struct search *search = batch->search;
    struct unit *unit = &batch->unit[index];
    const struct candidate *candidate = &search->list[unit->candidate];

    if (candidate->kind == CANDIDATE_GREEDYMAP)
        search->repeats[unit->candidate] =
            unit->drew || depends_on_pass(candidate->config.order);
    search->metrics[search->n] = unit->metrics;
    search->settled[search->n] =
        (struct settled){.candidate = unit->candidate, .host = unit->host};
    unit->host = NULL;
    search->n++;
    search->best = choose_best(&search->rule, search->metrics, search->n);
    for (size_t i = 0; i < search->n; i++) {
        struct settled *old = &search->settled[i];

        if (old->host && i != search->best &&
            !choose_may_win(&search->rule, search->metrics, search->n, i)) {
            free(old->host);
            old->host = NULL;
        }
    }
    if (search->options->progress)
        search->options->progress(search->options->progress_arg, search->n);
}

static bool stop(void *arg)
{
    const struct batch *batch = arg;

    return map_clock_expired(&batch->problem.clock);
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
    if (!is_single(search))
        return round > 1 && (!last_improved || round > MAX_PASSES);
    return !search->repeats[0] || round > MAX_BATCHES ||
           (options->work == 0 && !options->expired);
}

/* The units of a round; round 0 always counts. Portfolio: the layouts, then a
 * pass a round, then what is too dear for every pass. One mapper: a single
 * run, then more seeds. */
static void plan_round(struct batch *batch,
                       const struct search *search,
                       unsigned round,
                       bool dear)
{
    uint32_t pass = round > 0 && !dear ? round - 1 : 0;
    size_t from = round == 0 ? 0 : CANDIDATE_LAYOUTS;
    size_t to = round == 0 ? CANDIDATE_LAYOUTS : search->npass;

    batch->n = 0;
    if (is_single(search)) {
        size_t n = round == 0 ? 1 : BATCH;

        for (size_t i = 0; i < n; i++)
            batch->unit[batch->n++].pass =
                round == 0 ? 0 : (uint32_t)(1 + (round - 1) * BATCH + i);
        return;
    }
    if (dear) {
        from = search->npass;
        to = search->nlist;
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
    size_t wanted = search->n + batch->n;
    struct pool_job job = {.n = batch->n,
                           .threads = search->options->threads,
                           .work = work,
                           .settle = settle,
                           .stop = stop,
                           .arg = batch};
    int code;

    if ((code = array_reserve(&search->settled, &search->settled_room, wanted,
                              sizeof(*search->settled), err)) < 0 ||
        (code = array_reserve(&search->metrics, &search->metrics_room, wanted,
                              sizeof(*search->metrics), err)) < 0)
        return code;
    if (round == 0)
        batch->problem.clock.expired = NULL;
    if (!is_single(search) &&
        (code = orders_create(&batch->orders, batch->problem.graph,
                              batch->problem.alloc, NULL, search->seed,
                              batch->unit[0].pass, err)) < 0)
        return code;
    *settled = pool_run(&job);
    orders_destroy(batch->orders);
    for (size_t i = *settled; i < batch->n; i++)
        free(batch->unit[i].host);
    if (*settled < batch->n && batch->unit[*settled].code < 0) {
        if (err)
            *err = batch->unit[*settled].error;
        return batch->unit[*settled].code;
    }
    return 0;
}

static int run_rounds(struct search *search, struct mapcore_error *err)
{
    size_t room = search->nlist > BATCH ? search->nlist : BATCH;
    struct unit *unit = array_alloc(room, sizeof(*unit), err);
    bool improved = false, dear = false;
    int code = unit ? 0 : MAPCORE_ENOMEM;

    for (unsigned round = 0; code == 0 && !search->cut && !dear; round++) {
        struct batch batch = {
            .search = search, .problem = search->problem, .unit = unit};
        size_t best = search->best, left = search->limit - search->n;
        size_t planned, settled;

        dear = is_over(search, round, improved);
        if (dear && (is_single(search) || is_perfect(search)))
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
        code = run_round(&settled, &batch, round, err);
        search->cut = code == 0 && settled < planned;
        improved = search->best != best;
    }
    free(unit);
    return code;
}

static int check(const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 const struct mapcore_search *search,
                 struct mapcore_error *err)
{
    if (graph->ntasks > mapcore_alloc_nslots(alloc))
        return error_set(err, MAPCORE_EINVAL,
                         "%u tasks, but the hosts have %u slots", graph->ntasks,
                         mapcore_alloc_nslots(alloc));
    if (search->alpha != 0 && !(search->alpha >= 1))
        return error_set(err, MAPCORE_EINVAL,
                         "alpha is %g, but must be 1 or "
                         "more",
                         search->alpha);
    switch (search->choose) {
    case MAPCORE_CHOOSE_HOP_BYTES:
    case MAPCORE_CHOOSE_PARETO:
    case MAPCORE_CHOOSE_LINK:
        return 0;
    }
    return error_set(err, MAPCORE_EINVAL, "no such choice: %d",
                     (int)search->choose);
}

/* The baseline's places, checked by making a mapping of them, and metrics. */
static int take_baseline(struct search *search, struct mapcore_error *err)
{
    const struct greedymap_problem *problem = &search->problem;
    uint32_t ntasks = problem->graph->ntasks;
    struct mapcore_mapping *mapping = NULL;
    int code;

    if (search->options->baseline)
        code = mapcore_mapping_create(&mapping, problem->alloc, ntasks,
                                      search->options->baseline, NULL, err);
    else
        code = mapcore_mapping_block(&mapping, problem->alloc, ntasks, err);
    if (code < 0)
        return code;
    search->baseline =
        array_copy(mapping->host, ntasks, sizeof(*mapping->host), err);
    mapcore_mapping_destroy(mapping);
    if (!search->baseline)
        return MAPCORE_ENOMEM;
    return mapcore_metrics_compute(&search->baseline_metrics, problem->graph,
                                   problem->alloc, search->baseline, err);
}

static int take_custom(struct search *search, struct mapcore_error *err)
{
    const struct greedymap_config *config = &search->list[0].config;
    uint32_t ntasks = search->problem.graph->ntasks;
    int code;

    if (!is_single(search) || search->list[0].kind != CANDIDATE_GREEDYMAP ||
        config->order != ORDER_CUSTOM)
        return 0;
    search->custom = array_alloc(ntasks, sizeof(*search->custom), err);
    if (!search->custom)
        return MAPCORE_ENOMEM;
    code = order_read(search->custom, ntasks, config->path, err);
    if (code == MAPCORE_EIO && err) {
        struct mapcore_error why = *err;

        error_set(err, code,
                  "%s (order is OO, BFS, BFS-DFS, GPART or a file of task "
                  "numbers)",
                  why.text);
    }
    return code;
}

/* Candidates of every pass. Those with cost link stand at the end of the list
 * and take far longer than all others; unless links are what is asked for,
 * more seeds for the others come before them. */
static size_t count_cheap(const struct search *search)
{
    size_t n = search->nlist;

    if (search->options->choose != MAPCORE_CHOOSE_LINK)
        while (search->list[n - 1].kind == CANDIDATE_GREEDYMAP &&
               search->list[n - 1].config.cost == GREEDYMAP_LINK)
            n--;
    return n;
}

static int begin(struct search *search,
                 const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 struct mapcore_error *err)
{
    const struct mapcore_search *options = search->options;
    struct greedymap_problem *problem = &search->problem;
    int code;

    search->seed = options->seed ? options->seed : 1;
    search->limit = options->work && options->work < SIZE_MAX
                        ? (size_t)options->work
                        : SIZE_MAX;
    search->best = SIZE_MAX;
    search->rule.choice = options->choose;
    search->rule.alpha = options->alpha != 0 ? options->alpha : 1.05;
    if (!options->mapper)
        search->rule.baseline = &search->baseline_metrics;
    problem->graph = graph;
    problem->alloc = alloc;
    problem->clock.expired = options->expired;
    problem->clock.arg = options->expired_arg;
    if (options->mapper) {
        search->nlist = 1;
        search->list = array_alloc(1, sizeof(*search->list), err);
        if (!search->list)
            return MAPCORE_ENOMEM;
        code = candidate_parse(search->list, options->mapper, err);
    } else {
        code = candidates_list(&search->list, &search->nlist, alloc, err);
        if (code == 0)
            search->npass = count_cheap(search);
    }
    if (code < 0 || (code = take_custom(search, err)) < 0 ||
        (code = take_baseline(search, err)) < 0 ||
        (code = rows_create(&problem->near, alloc, false, err)) < 0 ||
        (code = rows_create(&problem->flat, alloc, true, err)) < 0)
        return code;
    search->repeats = array_alloc(search->nlist, sizeof(*search->repeats), err);
    return search->repeats ? 0 : MAPCORE_ENOMEM;
}

static void end_search(struct search *search)
{
    for (size_t i = 0; i < search->n; i++)
        free(search->settled[i].host);
    free(search->settled);
    free(search->metrics);
    free(search->list);
    free(search->repeats);
    free(search->baseline);
    free(search->custom);
    rows_destroy(search->problem.near);
    rows_destroy(search->problem.flat);
}

/* Slots inside the hosts are ours to choose, except where a layout was asked
 * for by name. */
static int finish(struct mapcore_result *out,
                  const struct search *search,
                  struct mapcore_error *err)
{
    const struct mapcore_graph *graph = search->problem.graph;
    const struct mapcore_alloc *alloc = search->problem.alloc;
    const struct settled *winner = &search->settled[search->best];
    const struct candidate *candidate = &search->list[winner->candidate];
    struct mapcore_result result = {0};
    uint32_t *slot = NULL;
    int code = 0;

    if (!is_single(search) || candidate->kind == CANDIDATE_GREEDYMAP) {
        slot = array_alloc(graph->ntasks, sizeof(*slot), err);
        code = slot ? slots_assign(slot, graph, winner->host,
                                   mapcore_alloc_nhosts(alloc), err)
                    : MAPCORE_ENOMEM;
    }
    if (code == 0)
        code = mapcore_mapping_create(&result.mapping, alloc, graph->ntasks,
                                      winner->host, slot, err);
    free(slot);
    if (code < 0)
        return code;
    result.metrics = search->metrics[search->best];
    result.baseline = search->baseline_metrics;
    candidate_print(candidate, result.candidate, sizeof(result.candidate));
    result.work = search->n;
    result.cut = search->cut;
    result.is_baseline = memcmp(winner->host, search->baseline,
                                graph->ntasks * sizeof(*winner->host)) == 0;
    *out = result;
    return 0;
}

int mapcore_search_run(struct mapcore_result *out,
                       const struct mapcore_graph *graph,
                       const struct mapcore_alloc *alloc,
                       const struct mapcore_search *search,
                       struct mapcore_error *err)
{
    struct search state = {.options = search};
    int code;

    if ((code = check(graph, alloc, search, err)) < 0 ||
        (code = begin(&state, graph, alloc, err)) < 0 ||
        (code = run_rounds(&state, err)) < 0)
        goto out;
    code = finish(out, &state, err);
out:
    end_search(&state);
    return code;
}

void mapcore_result_clear(struct mapcore_result *result)
{
    if (!result)
        return;
    mapcore_mapping_destroy(result->mapping);
    *result = (struct mapcore_result){0};
}
