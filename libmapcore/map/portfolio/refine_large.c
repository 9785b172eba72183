/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_large.c - large problems: which result is refined, and for how long */
#include "config.h"

#include "map/portfolio/rounds.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/mapper.h"
#include "pool/pool.h"

#include <stdlib.h>

/* A stage of a large problem under way. */
struct stage {
    struct search *search;
    enum refine_stage which;
    uint32_t most;  /* epochs that make sense */
    uint32_t n;     /* epochs planned, which temperatures go by */
    size_t stop;    /* epochs that the work left allows */
    double began;   /* share of the time spent when it began */
    double epoch_s; /* share of the time that an epoch takes */
    double spare;   /* epochs that time must be left for at the end */
    bool timed;     /* n comes from the time, once an epoch was measured */
};

/* Time that is planned for is used: the slower it cools, the better. */
static void slow_down(struct stage *stage)
{
    uint32_t slow = REFINEMENT_SLOW;

    stage->most =
        stage->most < UINT32_MAX / slow ? stage->most * slow : UINT32_MAX;
}

/* Epochs as far as they are known before the first one. */
static void plan_stage(struct stage *stage)
{
    const struct search *search = stage->search;
    const struct mapcore_search *options = search->options;
    size_t left = search->limit - search->results.work;
    bool clusters = stage->which == REFINE_CLUSTERS;
    uint32_t planned =
        clusters ? options->schedule.clusters : options->schedule.tasks;

    /* Links gain more by what comes behind (refine_more). */
    if (options->schedule.starts > 0 ||
        (options->work == 0 && options->spent &&
         search->results.rule.choice != MAPCORE_CHOOSE_TIME))
        slow_down(stage);
    stage->n = stage->most;
    stage->stop = left;
    if (options->schedule.starts > 0)
        stage->n = planned;
    else if (options->work > 0)
        left = clusters ? (size_t)((double)left * REFINEMENT_CLUSTERS) : left;
    else
        stage->timed = options->spent != NULL;
    if (stage->n > stage->most)
        stage->n = stage->most;
    /* Where time ended a schedule early, less work repeats it, cooled as it
     * was. */
    if (options->schedule.starts == 0 && stage->n > left)
        stage->n = (uint32_t)left;
    stage->began = search_spent(search);
}

/* The same after the first one, when it is known how long an epoch takes. */
static void plan_rest(struct stage *stage)
{
    enum mapcore_choice choice = stage->search->results.rule.choice;
    double end = choice == MAPCORE_CHOOSE_TIME     ? REFINEMENT_END_LINKS
                 : choice == MAPCORE_CHOOSE_PARETO ? REFINEMENT_END_TASKS
                                                   : REFINEMENT_END;
    double left = end - stage->began;

    stage->epoch_s = search_spent(stage->search) - stage->began;
    if (!stage->timed || !(stage->epoch_s > 0))
        return;
    left -= stage->spare * stage->epoch_s;
    if (stage->which == REFINE_CLUSTERS)
        left *= REFINEMENT_CLUSTERS;
    left /= stage->epoch_s;
    if (left < 1)
        stage->n = 1;
    else if (left < stage->n)
        stage->n = (uint32_t)left;
}

/* Runs a stage; *ran: its epochs. */
static int run_stage(uint32_t *ran,
                     struct search *search,
                     struct refine *refine,
                     enum refine_stage which,
                     struct refine_temperatures range,
                     struct mapcore_error *err)
{
    struct stage stage = {.search = search, .which = which};
    bool done = true;
    int error = refine_begin(&stage.most, refine, which, range, err);
    uint32_t i = 0;

    *ran = 0;
    if (error < 0)
        return error;
    plan_stage(&stage);
    stage.spare = REFINEMENT_SPARE_EPOCHS + refine_descent_epochs(refine);
    for (; i < stage.n; i++) {
        /* What is left of the time is needed for the end. */
        if (i >= stage.stop || map_deadline_passed(&search->problem.deadline) ||
            search_spent(search) + stage.spare * stage.epoch_s > 1)
            break;
        error = refine_epoch(&done, refine, i, stage.n, search->pool, err);
        if (error < 0 || !done)
            break;
        if (i == 0)
            plan_rest(&stage);
        results_count(&search->results, 1);
    }
    search->interrupted =
        search->interrupted || i < stage.n || stage.n < stage.most;
    *ran = stage.n;
    return error;
}

/* Average hop-bytes of a refinement as it is now. */
static int measure(double *out,
                   const struct search *search,
                   const struct refine *refine,
                   struct mapcore_error *err)
{
    const struct map_problem *problem = &search->problem;
    struct mapcore_metrics metrics;
    uint32_t *host = array_alloc(problem->graph->ntasks, sizeof(*host), err);
    int error = MAPCORE_ENOMEM;

    if (host) {
        refine_get_mapping(host, refine);
        error = mapcore_metrics_compute(&metrics, problem->graph,
                                        problem->alloc, host, err);
    }
    if (error == 0)
        *out = metrics.avg_hop_bytes;
    free(host);
    return error;
}

/* The result whose clusters are taken: the one made for that, or the best. */
static size_t pick_clusters(const struct search *search, size_t best)
{
    for (size_t i = 0; i < search->results.n; i++)
        if (search->results.result[i].host &&
            search->list[search->results.result[i].candidate].group ==
                CANDIDATE_CLUSTERS)
            return i;
    return best;
}

/* Anneals clusters; *start: the result that the tasks' stage goes on from, with
 * *refine, and how hot it may be. */
static int run_clusters(struct refine **refine,
                        size_t *start,
                        struct refine_temperatures *range,
                        struct search *search,
                        const struct refine_base *base,
                        struct mapcore_error *err)
{
    size_t best = *start;
    double average = 0;
    int error;

    *start = pick_clusters(search, best);
    if ((error = refine_create(
             refine, base, search->results.result[*start].host, 0, err)) < 0 ||
        (error = run_stage(&search->schedule.clusters, search, *refine,
                           REFINE_CLUSTERS, schedule_temperatures.clusters,
                           err)) < 0 ||
        (error = measure(&average, search, *refine, err)) < 0)
        return error;
    *range = schedule_temperatures.tasks;
    if (search->schedule.clusters > 0 &&
        average <= REFINEMENT_CLUSTERS_SLACK *
                       search->results.metrics[best].avg_hop_bytes)
        return 0;
    refine_destroy(*refine);
    *refine = NULL;
    *start = best;
    *range = schedule_temperatures.start;
    return refine_create(refine, base, search->results.result[best].host, 0,
                         err);
}

/* Anneals single tasks, and ends the refinement. */
static int refine_tasks(struct search *search,
                        struct refine *refine,
                        size_t start,
                        struct refine_temperatures range,
                        struct mapcore_error *err)
{
    int error = run_stage(&search->schedule.tasks, search, refine, REFINE_TASKS,
                          range, err);

    return error < 0 ? error : refined_add(search, refine, start, err);
}

static struct refine_temperatures range_of_start(const struct search *search)
{
    return search->begins_clusters ? schedule_temperatures.start
                                   : schedule_temperatures.tree;
}

static int refine_stages(struct search *search,
                         const struct refine_base *base,
                         size_t start,
                         struct mapcore_error *err)
{
    struct refine *refine = NULL;
    struct refine_temperatures range = range_of_start(search);
    int error;

    if (!search->begins_clusters || search->skips_clusters)
        error = refine_create(&refine, base, search->results.result[start].host,
                              0, err);
    else
        error = run_clusters(&refine, &start, &range, search, base, err);
    if (error == 0)
        error = refine_tasks(search, refine, start, range, err);
    refine_destroy(refine);
    return error;
}

/* Whether the start is a grid laid out as one, far better than all else. */
static bool is_grid(const struct search *search, size_t start)
{
    const struct candidate *candidate =
        &search->list[search->results.result[start].candidate];
    double least = search->results.metrics[start].avg_hop_bytes;

    if (candidate->mapper != &mapper_grid)
        return false;
    for (size_t i = CANDIDATE_LAYOUTS; i < search->results.n; i++)
        if (search->list[search->results.result[i].candidate].mapper !=
                &mapper_grid &&
            REFINEMENT_GRID_MARGIN * search->results.metrics[i].avg_hop_bytes <
                least)
            return false;
    return true;
}

/* The grid, and the few tasks that it has too many. Where mending that gains
 * more, there are edges that are none of the grid's. */
static int refine_grid(struct search *search,
                       const struct refine_base *base,
                       size_t start,
                       struct mapcore_error *err)
{
    double before = search->results.metrics[start].avg_hop_bytes;
    struct refine *refine = NULL;
    int error = refine_create(&refine, base, search->results.result[start].host,
                              0, err);

    if (error == 0)
        error = refined_add(search, refine, start, err);
    if (error < 0)
        goto out;
    if (search->results.metrics[search->results.n - 1].avg_hop_bytes <
        (1 - REFINEMENT_GRID_ALONE) * before)
        error =
            refine_tasks(search, refine, start, range_of_start(search), err);
    else
        error = refine_rotation(search, base, err);
out:
    refine_destroy(refine);
    return error;
}

int refine_large(struct search *search,
                 const struct refine_base *base,
                 size_t start,
                 struct mapcore_error *err)
{
    return (is_grid(search, start) ? refine_grid : refine_stages)(search, base,
                                                                  start, err);
}
