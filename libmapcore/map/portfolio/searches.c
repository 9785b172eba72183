/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* searches.c - a search, from options to result, stage by stage */
#include "config.h"

#include "map/map.h"

#include "base/array.h"
#include "base/text.h"
#include "graph/csr.h"
#include "map/choose.h"
#include "map/constrain/pins.h"
#include "map/constrain/rail_search.h"
#include "map/constrain/units.h"
#include "map/greedy/order.h"
#include "map/portfolio/rounds.h"
#include "map/slots/slots.h"
#include "pool/pool.h"
#include "topo/shape.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The list among the mappers. */
#define PARMAPPER "parmapper"

static int check(const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 const struct mapcore_search *search,
                 struct mapcore_error *err)
{
    int error;

    if (graph->ntasks > mapcore_alloc_nslots(alloc))
        return error_set(err, MAPCORE_EINVAL,
                         "%u task%s, but the nodes have %u slot%s",
                         graph->ntasks, text_plural(graph->ntasks),
                         mapcore_alloc_nslots(alloc),
                         text_plural(mapcore_alloc_nslots(alloc)));
    if (search->alpha != 0 && !(search->alpha >= 1))
        return error_set(err, MAPCORE_EINVAL,
                         "alpha is %g, but must be 1 or "
                         "more",
                         search->alpha);
    if ((error = pins_check(search->pin, alloc, graph->ntasks, err)) < 0)
        return error;
    if (search->choose < MAPCORE_CHOOSE_HOP_BYTES ||
        search->choose > MAPCORE_CHOOSE_AUTO)
        return error_set(err, MAPCORE_EINVAL, "no such choice: %d",
                         (int)search->choose);
    return 0;
}

/* What the baseline comes to with every pinned task where it must be. */
static int settle_baseline(struct search *search, struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    uint32_t *host;
    int error;

    search->settled_metrics = search->baseline_metrics;
    if (!problem->pin)
        return 0;
    host = arena_copy(&search->arena, search->baseline, problem->graph->ntasks,
                      sizeof(*host));
    error = host ? pins_settle(host, problem, err) : MAPCORE_ENOMEM;
    return error < 0 ? error
                     : mapcore_metrics_compute(&search->settled_metrics,
                                               problem->graph, problem->alloc,
                                               host, err);
}

/* The baseline's places, checked by making a mapping of them, and metrics. */
static int take_baseline(struct search *search, struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    uint32_t ntasks = problem->graph->ntasks;
    struct mapcore_mapping *mapping = NULL;
    int error = baseline_mapping(&mapping, problem->alloc, ntasks,
                                 search->options->baseline, err);

    if (error < 0)
        return error;
    search->baseline = arena_copy(&search->arena, mapping->host, ntasks,
                                  sizeof(*mapping->host));
    search->problem.baseline = search->baseline;
    mapcore_mapping_destroy(mapping);
    if (!search->baseline)
        return MAPCORE_ENOMEM;
    error = mapcore_metrics_compute(&search->baseline_metrics, problem->graph,
                                    problem->alloc, search->baseline, err);
    return error < 0 ? error : settle_baseline(search, err);
}

/* Whose a mapping is. */
static void tell(void *arg,
                 const struct result *result,
                 const struct mapcore_metrics *metrics)
{
    const struct search *search = arg;
    char name[sizeof(((struct mapcore_result *)0)->candidate)];

    candidate_print(&search->list[result->candidate], name, sizeof(name));
    search->options->came(search->options->progress_arg, name,
                          result->is_refined, metrics);
}

/* What every stage is given. */
static int begin(struct search *search,
                 const struct mapcore_graph *graph,
                 const struct mapcore_alloc *alloc,
                 const struct mapcore_search *options,
                 struct mapcore_error *err)
{
    struct map_problem *problem = &search->problem;
    struct results *results = &search->results;
    struct topo_shape shape;
    int error = check(graph, alloc, options, err);

    if (error < 0)
        return error;
    search->options = options;
    topo_shape(&shape, mapcore_alloc_topo(alloc));
    search->begins_clusters =
        shape.kind != TOPO_TREE && shape.kind != TOPO_LAYERS;
    search->skips_clusters =
        options->schedule.starts > 0 && options->schedule.clusters == 0;
    search->seed = options->seed ? options->seed : 1;
    search->limit = options->work && options->work < SIZE_MAX
                        ? (size_t)options->work
                        : SIZE_MAX;
    results->best = SIZE_MAX;
    results->progress = options->progress;
    results->progress_arg = options->progress_arg;
    results->came = options->came ? tell : NULL;
    results->came_arg = search;
    results->rule.choice = choose_settled(options->choose);
    results->rule.alpha = options->alpha != 0 ? options->alpha : 1.05;
    /* On trees other routes are no longer ones, so more hops buy little of the
     * slowest link's time: of fem16k on tree:8,16,8 42% for 0.7%, which a tenth
     * buys, too. On tori they are how it falls by 30%. */
    if (!search->begins_clusters && graph->ntasks >= REFINEMENT_SMALL)
        results->rule.link_alpha = 1.1;
    problem->graph = graph;
    problem->alloc = alloc;
    problem->pin = options->pin;
    problem->deadline.expired = options->expired;
    problem->deadline.arg = options->expired_arg;
    search->pool = pool_create(options->threads);
    return order_cache_create(&problem->orders, err);
}

/* What refinement takes at least, as a share of the time. */
static double least_share(const struct search *search)
{
    return search->first_share > 0
               ? REFINEMENT_LEAST * search->first_share
               : REFINEMENT_LEAST_CERTAIN * search->certain_share;
}

/* Whether refinement has anything to do, and time to do it: a share of `least`
 * at least. */
static bool can_refine(struct search *search, double least)
{
    const struct map_problem *problem = &search->problem;

    if (!search->refines || search->is_settled ||
        results_are_perfect(&search->results) ||
        problem->graph->row[problem->graph->ntasks] == 0 ||
        mapcore_alloc_nhosts(problem->alloc) < 2)
        return false;
    if (search->results.work < search->limit &&
        search_spent(search) <= REFINEMENT_LATE &&
        search_spent(search) + least < 1 &&
        !map_deadline_passed(&problem->deadline))
        return true;
    search->interrupted = true;
    return false;
}

static bool goes_by_time_first(const struct search *search)
{
    return search->results.rule.choice == MAPCORE_CHOOSE_TIME &&
           search->problem.graph->ntasks < REFINEMENT_SMALL;
}

/* The result with the least average hop-bytes is refined. */
static int refine(struct search *search, struct mapcore_error *err)
{
    size_t start = results_least_average(&search->results);
    struct arena arena = {.err = err};
    struct refine_base *base =
        refine_base_make(&search->problem, search->seed, &arena);
    int error = base ? (search->problem.graph->ntasks < REFINEMENT_SMALL
                            ? refine_small
                            : refine_large)(search, base, start, err)
                     : MAPCORE_ENOMEM;

    arena_clear(&arena);
    return error;
}

/* What is made better for what is chosen by, if that is not the average: the
 * best, and, where a small problem goes by time or routers' tasks were turned
 * round, what refinement has come to, though that is not chosen yet. */
static int refine_choice(struct search *search, struct mapcore_error *err)
{
    size_t least = results_least_average(&search->results);
    int error = 0;

    if (search->results.rule.choice == MAPCORE_CHOOSE_HOP_BYTES)
        return 0;
    if (least != search->results.best &&
        (goes_by_time_first(search) || search->has_turned))
        error = refine_bottleneck(
            search, least, 2 * schedule_rounds[ROUNDS_SLOWEST].most, err);
    return error < 0 ? error
                     : refine_bottleneck(search, search->results.best, 0, err);
}

/* A descent on the slowest links of the best start needs a moment, and gains
 * most of what there is: it does not wait for refinement, which may take all
 * the time of a small problem. */
static int refine_time(struct search *search, struct mapcore_error *err)
{
    return goes_by_time_first(search)
               ? refine_bottleneck(search, search->results.best,
                                   schedule_rounds[ROUNDS_SLOWEST].most, err)
               : 0;
}

static void end(struct search *search)
{
    last_choice_end(search);
    results_clear(&search->results);
    order_cache_destroy(search->problem.orders);
    pool_destroy(search->pool);
    arena_clear(&search->arena);
}

/* Slots inside the hosts are ours to choose, except where a layout was asked
 * for by name. */
static int assign_slots(struct mapcore_result *out,
                        const struct search *search,
                        struct mapcore_error *err)
{
    const struct mapcore_graph *graph = search->problem.graph;
    const struct mapcore_alloc *alloc = search->problem.alloc;
    const struct result *winner = &search->results.result[search->results.best];
    const struct candidate *candidate = &search->list[winner->candidate];
    struct result_places places = {
        winner->host, NULL, &search->results.metrics[search->results.best],
        &search->baseline_metrics};
    struct mapcore_result result;
    struct mapcore_search beside = {.baseline = search->baseline,
                                    .node = search->options->node};
    uint32_t *slot = NULL;
    int error = 0;

    if (!search->keeps_layout || winner->is_refined ||
        !candidate->mapper->is_layout) {
        slot = array_alloc(graph->ntasks, sizeof(*slot), err);
        error = slot ? slots_assign(slot, graph, alloc, winner->host,
                                    search->options->node, err)
                     : MAPCORE_ENOMEM;
    }
    places.slot = slot;
    if (error == 0)
        error = result_make(&result, graph, alloc, &beside, &places, err);
    free(slot);
    if (error < 0)
        return error;
    candidate_print(candidate, result.candidate, sizeof(result.candidate));
    result.is_refined = winner->is_refined;
    result.work = search->results.work;
    result.schedule = search->schedule;
    result.interrupted = search->interrupted;
    *out = result;
    return 0;
}

/* Turns for what all types take that may gain nothing in a row. */
enum { LAST_PATIENCE = 8, PHASES_PATIENCE = 8 };

/* Short rounds by hops miss the folds of a grid over uneven nodes that long
 * ones find, and from which links are far better: of a 16x8 halo on 22 nodes
 * with 6 or 5 tasks by a third. */
static int refine_longer(struct search *search, struct mapcore_error *err)
{
    const size_t before = results_least_average(&search->results);
    int error;

    if (!goes_by_time_first(search) || !can_refine(search, 0))
        return 0;
    search->goes_on = true;
    error = refine(search, err);
    return error < 0 || results_least_average(&search->results) == before
               ? error
               : refine_choice(search, err);
}

/* A search that is through goes on where time or work is left, and links are
 * what it goes by: first with all types, then with the links of all together,
 * with long rounds by hops, and with all types again. */
static int go_on(struct search *search, struct mapcore_error *err)
{
    const struct mapcore_search *options = search->options;
    const uint32_t turns = schedule_rounds[ROUNDS_SLOWEST].most;
    int error;

    if (search->results.rule.choice != MAPCORE_CHOOSE_TIME || search->is_part ||
        (options->work == 0 && !options->expired))
        return 0;
    if ((error = last_choice_refine(search, 2 * turns, LAST_PATIENCE, err)) <
            0 ||
        (error = last_choice(search, true, err)) < 0 ||
        (error = refine_more(search, err)) < 0 ||
        (error = refine_longer(search, err)) < 0)
        return error;
    return search->tables && can_refine(search, 0)
               ? last_choice_refine(search, 3 * turns, 1, err)
               : 0;
}

/* A walk is compared with what was found, however that ended, and refined where
 * it is better: groups of tasks that stand side by side are where partitions of
 * a graph do not come to, on racks of which the job has a part. It is no start
 * of the list: refinement would not leave it. It is no unit of work. */
static int add_walk(struct search *search, struct mapcore_error *err)
{
    struct map_problem problem = search->problem;
    struct results *results = &search->results;
    const size_t before = results->best;
    const struct mapper_call call = {.seed = search->seed};
    struct result walk = {.candidate = search->nlist - 1, .is_kept = true};
    struct mapcore_metrics metrics;
    struct mapper_end end;
    int error;

    if (search->list[walk.candidate].group != CANDIDATE_LAST)
        return 0;
    problem.deadline.expired = NULL;
    walk.host = array_alloc(problem.graph->ntasks, sizeof(*walk.host), err);
    error = walk.host ? mapper_run(walk.host, &end, &mapper_walk, &problem,
                                   &call, err)
                      : MAPCORE_ENOMEM;
    if (error < 0 || (error = pins_settle(walk.host, &problem, err)) < 0 ||
        (error = mapcore_metrics_compute(&metrics, problem.graph, problem.alloc,
                                         walk.host, err)) < 0 ||
        (error = results_reserve(results, 1, err)) < 0) {
        free(walk.host);
        return error;
    }
    results_add(results, &walk, &metrics);
    return results->best == before || !can_refine(search, 0)
               ? 0
               : refine_bottleneck(search, results->best,
                                   3 * schedule_rounds[ROUNDS_SLOWEST].most,
                                   err);
}

/* A search by time of few tasks: its results are refined by the time of their
 * phases alone. */
static bool goes_by_phases(const struct search *search)
{
    return search->tables &&
           search->problem.graph->ntasks <= REFINEMENT_SHORT_TASKS;
}

static int run_phases(struct mapcore_result *out,
                      struct search *search,
                      struct mapcore_error *err)
{
    int error =
        can_refine(search, least_share(search)) ? refine(search, err) : 0;

    if (error == 0 && can_refine(search, 0))
        error = last_choice_refine(search, 0, PHASES_PATIENCE, err);
    if (error == 0)
        error = add_walk(search, err);
    if (error == 0)
        error = last_choice(search, false, err);
    return error < 0 ? error : assign_slots(out, search, err);
}

/* From the list of candidates to the result. */
static int run(struct mapcore_result *out,
               struct search *search,
               enum schedule_kind kind,
               struct mapcore_error *err)
{
    bool refined;
    int error;

    search->stages = schedule_stages(&search->nstages, kind);
    search->repeats = arena_alloc(&search->arena, search->nlist, sizeof(bool));
    search->least = arena_alloc(&search->arena, search->nlist, sizeof(double));
    if (search->arena.error)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < search->nlist; i++)
        search->least[i] = -1;
    if ((error = take_baseline(search, err)) < 0 ||
        (search->refines && (error = through_bound(search, err)) < 0) ||
        (error = starts_run(search, err)) < 0)
        return error;
    search->agrees = search->refines && through_agree(search);
    if (search->refines)
        search->schedule.starts = (uint32_t)search->results.n;
    /* So that who repeats it leaves the same out of the list. */
    search->schedule.clusters =
        search->refines && search->begins_clusters && !search->skips_clusters &&
        search->problem.graph->ntasks >= REFINEMENT_SMALL;
    if (goes_by_phases(search))
        return run_phases(out, search, err);
    if (can_refine(search, 0) && (error = refine_time(search, err)) < 0)
        return error;
    if (can_refine(search, 0) &&
        (error = last_choice_refine(search, 0, 3, err)) < 0)
        return error;
    refined = can_refine(search, least_share(search));
    if (refined && ((error = refine(search, err)) < 0 ||
                    (error = host_moves_refine(search, err)) < 0))
        return error;
    /* What makes less of a bottleneck gains in any time. */
    if ((refined || can_refine(search, 0)) &&
        ((error = refine_choice(search, err)) < 0 ||
         (error = last_choice_refine(
              search, schedule_rounds[ROUNDS_SLOWEST].most, 1, err)) < 0))
        return error;
    if (can_refine(search, 0) && (error = host_moves_start(search, err)) < 0)
        return error;
    if ((refined && (error = go_on(search, err)) < 0) ||
        (error = add_walk(search, err)) < 0 ||
        (error = last_choice(search, false, err)) < 0)
        return error;
    return assign_slots(out, search, err);
}

static enum schedule_kind kind_for(const struct search *search, uint32_t ntasks)
{
    if (ntasks < REFINEMENT_SMALL)
        return SCHEDULE_PORTFOLIO_SMALL;
    return ntasks >= MAP_LARGE       ? SCHEDULE_PORTFOLIO_LARGE
           : search->begins_clusters ? SCHEDULE_PORTFOLIO
                                     : SCHEDULE_PORTFOLIO_TREE;
}

/* What a search tries, and when. */
static int list_candidates(enum schedule_kind *kind,
                           struct search *search,
                           const struct units_request *request,
                           struct mapcore_error *err)
{
    struct choose_rule *rule = &search->results.rule;
    int error;

    if (request->mapper) {
        if (request->refines && strcmp(request->mapper, PARMAPPER) == 0)
            return error_set(err, MAPCORE_EINVAL,
                             "%s is a list of its own: it takes no %s",
                             PARMAPPER, MAPCORE_REFINED);
        *kind = request->refines ? SCHEDULE_MAPPER_REFINED : SCHEDULE_MAPPER;
        return candidates_one(&search->list, &search->nlist, request->mapper,
                              &search->arena);
    }
    if (!request->refines) {
        *kind = SCHEDULE_PARMAPPER;
        rule->choice = MAPCORE_CHOOSE_PARETO;
        return candidates_parmapper(&search->list, &search->nlist,
                                    request->graph, request->alloc,
                                    search->seed, &search->arena);
    }
    *kind = kind_for(search, request->graph->ntasks);
    if ((error = candidates_list(&search->list, &search->nlist, request->alloc,
                                 rule->choice == MAPCORE_CHOOSE_TIME,
                                 !search->begins_clusters && !search->is_part &&
                                     rule->choice == MAPCORE_CHOOSE_TIME &&
                                     request->graph->ntasks <= WALK_MOST,
                                 &search->arena)) < 0)
        return error;
    error = last_choice_begin(search, err);
    if (goes_by_phases(search))
        *kind = SCHEDULE_PORTFOLIO_TIME;
    if (!last_choice_goes_by_types(search))
        rule->baseline = &search->settled_metrics;
    return error;
}

static int run_search(struct mapcore_result *out,
                      const struct units_request *request,
                      struct mapcore_error *err)
{
    struct search search = {.run = run_search,
                            .refines = request->refines,
                            .is_part = request->is_part,
                            .keeps_layout = request->mapper != NULL,
                            .arena = {.err = err}};
    enum schedule_kind kind = SCHEDULE_MAPPER;
    int error =
        begin(&search, request->graph, request->alloc, request->search, err);

    if (error == 0)
        error = list_candidates(&kind, &search, request, err);
    if (error == 0)
        error = run(out, &search, kind, err);
    end(&search);
    return error;
}

/* Layouts that are asked for by name are of nodes. */
static int run_by_rail(struct mapcore_result *out,
                       const struct units_request *request,
                       struct mapcore_error *err)
{
    return request->refines && !request->search->slots_by_rank &&
                   mapcore_alloc_by_rail(request->alloc) != request->alloc
               ? rail_search(out, request, run_search, err)
               : run_search(out, request, err);
}

int mapcore_search_run(struct mapcore_result *out,
                       const struct mapcore_graph *graph,
                       const struct mapcore_alloc *alloc,
                       const char *mapper,
                       const struct mapcore_search *search,
                       struct mapcore_error *err)
{
    const size_t suffix = strlen(MAPCORE_REFINED);
    const size_t n = mapper ? strlen(mapper) : 0;
    struct arena arena = {.err = err};
    struct units_request request = {.graph = graph,
                                    .alloc = alloc,
                                    .search = search,
                                    .mapper = mapper,
                                    .refines = !mapper};
    char *name;
    int error;

    if (mapper && strcmp(mapper, PARMAPPER) == 0)
        request.mapper = NULL;
    if (n >= suffix && strcmp(mapper + n - suffix, MAPCORE_REFINED) == 0) {
        name = arena_alloc(&arena, n - suffix + 1, 1);
        if (!name)
            return MAPCORE_ENOMEM;
        memcpy(name, mapper, n - suffix);
        request.mapper = name;
        request.refines = true;
    }
    error = units_search(out, &request, run_by_rail, err);
    arena_clear(&arena);
    return error;
}
