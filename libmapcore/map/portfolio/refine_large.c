/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_large.c - which results are refined, and for how long */
#include "config.h"

#include "map/portfolio/refinement.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/mappers.h"
#include "map/refine/refine.h"
#include "pool/pool.h"

#include <stdlib.h>
#include <string.h>

/* Problems of fewer tasks are small: one region, refined in a moment. */
#define SMALL 1024

/* Temperatures, measured on geometric and power-law graphs of 16,384 tasks:
 * tori and other networks get lumps and then hot tasks; on a tree a good start
 * is never found again, so it is only warmed; so is the best start of all where
 * lumps have come to nothing. */
static const struct refine_temperatures heat_lumps = {0.4, 0.02},
                                        heat_tasks = {0.1, 0.015},
                                        heat_start = {0.03, 0.012},
                                        heat_tree = {0.035, 0.01},
                                        no_heat = {0, 0};
/* Lumps are dropped when they end so much above the best start. */
static const double LUMPS_SLACK = 1.06;
/* A grid laid out as one that is so much below all else needs no refinement. */
static const double GRID_MARGIN = 0.95;

/* Of the time or work left, what lumps get; where time that is planned for
 * ends; epochs that time must be left for at the end, besides quenching. */
static const double LUMPS_SHARE = 0.25, END_SHARE = 0.96;
/* The latter where relief of tasks or of links comes behind. */
static const double TASKS_SHARE = 0.85, LINKS_SHARE = 0.5;
/* So late refinement is not begun: it could not be ended in time. */
static const double LATE_SHARE = 0.85;
#define SPARE_EPOCHS 2

/* The start: the least average of the results that are still there. */
static size_t pick_start(const struct search *search)
{
    size_t best = SIZE_MAX;

    for (size_t i = 0; i < search->n; i++)
        if (search->settled[i].host &&
            (best == SIZE_MAX || search->metrics[i].avg_hop_bytes <
                                     search->metrics[best].avg_hop_bytes))
            best = i;
    return best;
}

/* Settles the mapping that a refinement of start has come to. */
static int settle_refined(struct search *search,
                          size_t start,
                          uint32_t *host,
                          struct mapcore_error *err)
{
    struct settled result = {.candidate = search->settled[start].candidate,
                             .refined = true,
                             .host = host};
    struct mapcore_metrics metrics;
    int error = mapcore_metrics_compute(&metrics, search->problem.graph,
                                        search->problem.alloc, host, err);

    if (error == 0)
        error = portfolio_reserve(search, 1, err);
    if (error < 0) {
        free(host);
        return error;
    }
    portfolio_settle(search, &result, &metrics);
    return 0;
}

int improve_quench(struct refine *refine,
                   unsigned threads,
                   struct mapcore_error *err)
{
    bool done = true;
    uint32_t n;
    int error = refine_begin(&n, refine, REFINE_DESCENT, no_heat, err);

    for (uint32_t i = 0; error == 0 && done && i < n; i++)
        error = refine_epoch(&done, refine, i, n, threads, err);
    return error;
}

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

/* Epochs as far as they are known before the first one. */
static void plan_stage(struct stage *stage)
{
    const struct search *search = stage->search;
    const struct mapcore_search *options = search->options;
    size_t left = search->limit - search->work;
    bool lumps = stage->which == REFINE_CLUSTERS;
    uint32_t planned =
        lumps ? options->schedule.lumps : options->schedule.tasks;

    stage->n = stage->most;
    stage->stop = left;
    if (options->schedule.starts > 0)
        stage->n = planned;
    else if (options->work > 0)
        left = lumps ? (size_t)((double)left * LUMPS_SHARE) : left;
    else
        stage->timed = options->spent != NULL;
    if (stage->n > stage->most)
        stage->n = stage->most;
    /* Where time cut a schedule, less work repeats it, cooled as it was. */
    if (options->schedule.starts == 0 && stage->n > left)
        stage->n = (uint32_t)left;
    stage->began = search_spent(search);
}

/* The same after the first one, when it is known how long an epoch takes. */
static void plan_rest(struct stage *stage)
{
    enum mapcore_choice choice = stage->search->rule.choice;
    double end = choice == MAPCORE_CHOOSE_LINK     ? LINKS_SHARE
                 : choice == MAPCORE_CHOOSE_PARETO ? TASKS_SHARE
                                                   : END_SHARE;
    double left = end - stage->began;

    stage->epoch_s = search_spent(stage->search) - stage->began;
    if (!stage->timed || !(stage->epoch_s > 0))
        return;
    left -= stage->spare * stage->epoch_s;
    if (stage->which == REFINE_CLUSTERS)
        left *= LUMPS_SHARE;
    left /= stage->epoch_s;
    if (left < 1)
        stage->n = 1;
    else if (left < stage->n)
        stage->n = (uint32_t)left;
}

/* Whether what is left of the time is needed for the end. */
static bool is_late(const struct stage *stage)
{
    return map_deadline_passed(&stage->search->problem.deadline) ||
           search_spent(stage->search) + stage->spare * stage->epoch_s > 1;
}

/* Runs a stage; *ran: its epochs. */
static int run_stage(uint32_t *ran,
                     struct search *search,
                     struct refine *refine,
                     enum refine_stage which,
                     struct refine_temperatures heat,
                     struct mapcore_error *err)
{
    struct stage stage = {.search = search, .which = which};
    bool done = true;
    int error = refine_begin(&stage.most, refine, which, heat, err);
    uint32_t i = 0;

    *ran = 0;
    if (error < 0)
        return error;
    plan_stage(&stage);
    stage.spare = SPARE_EPOCHS + refine_descent_epochs(refine);
    for (; i < stage.n; i++) {
        if (i >= stage.stop || is_late(&stage))
            break;
        error = refine_epoch(&done, refine, i, stage.n,
                             search->options->threads, err);
        if (error < 0 || !done)
            break;
        if (i == 0)
            plan_rest(&stage);
        portfolio_count(search, 1);
    }
    search->cut = search->cut || i < stage.n || stage.n < stage.most;
    *ran = stage.n;
    return error;
}

/* Ends a refinement, begun with a result of the list, and settles it. */
static int end_refinement(struct search *search,
                          struct refine *refine,
                          size_t start,
                          struct mapcore_error *err)
{
    uint32_t *host;
    int error = improve_quench(refine, search->options->threads, err);

    if (error < 0)
        return error;
    host = array_alloc(search->problem.graph->ntasks, sizeof(*host), err);
    if (!host)
        return MAPCORE_ENOMEM;
    refine_get_mapping(host, refine);
    return settle_refined(search, start, host, err);
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

/* The result whose lumps are taken: the one made for that, or the best. */
static size_t pick_lumps(const struct search *search, size_t best)
{
    for (size_t i = 0; i < search->n; i++)
        if (search->settled[i].host &&
            search->list[search->settled[i].candidate].lumps)
            return i;
    return best;
}

/* Anneals lumps; *start: the result that the tasks' stage goes on from, with
 * *refine, and how hot it may be. */
static int run_lumps(struct refine **refine,
                     size_t *start,
                     struct refine_temperatures *heat,
                     struct search *search,
                     const struct refine_base *base,
                     struct mapcore_error *err)
{
    size_t best = *start;
    double average = 0;
    int error;

    *start = pick_lumps(search, best);
    if ((error = refine_create(refine, base, search->settled[*start].host, 0,
                               err)) < 0 ||
        (error = run_stage(&search->schedule.lumps, search, *refine,
                           REFINE_CLUSTERS, heat_lumps, err)) < 0 ||
        (error = measure(&average, search, *refine, err)) < 0)
        return error;
    *heat = heat_tasks;
    if (search->schedule.lumps > 0 &&
        average <= LUMPS_SLACK * search->metrics[best].avg_hop_bytes)
        return 0;
    refine_destroy(*refine);
    *refine = NULL;
    *start = best;
    *heat = heat_start;
    return refine_create(refine, base, search->settled[best].host, 0, err);
}

static int improve_large(struct search *search,
                         const struct refine_base *base,
                         size_t start,
                         struct mapcore_error *err)
{
    struct refine *refine = NULL;
    struct refine_temperatures heat = heat_tree;
    int error;

    if (!search->lumps)
        error =
            refine_create(&refine, base, search->settled[start].host, 0, err);
    else
        error = run_lumps(&refine, &start, &heat, search, base, err);
    if (error == 0 && (error = run_stage(&search->schedule.tasks, search,
                                         refine, REFINE_TASKS, heat, err)) == 0)
        error = end_refinement(search, refine, start, err);
    refine_destroy(refine);
    return error;
}

/* Whether the start is a grid laid out as one, far better than all else. */
static bool is_grid(const struct search *search, size_t start)
{
    const struct candidate *candidate =
        &search->list[search->settled[start].candidate];
    double least = search->metrics[start].avg_hop_bytes;

    if (candidate->mapper != &mapper_grid)
        return false;
    for (size_t i = CANDIDATE_LAYOUTS; i < search->n; i++)
        if (search->list[search->settled[i].candidate].mapper != &mapper_grid &&
            GRID_MARGIN * search->metrics[i].avg_hop_bytes < least)
            return false;
    return true;
}

/* The grid, and whatever few tasks it has too many. */
static int improve_grid(struct search *search,
                        const struct refine_base *base,
                        size_t start,
                        struct mapcore_error *err)
{
    struct refine *refine = NULL;
    int error =
        refine_create(&refine, base, search->settled[start].host, 0, err);

    if (error == 0)
        error = end_refinement(search, refine, start, err);
    refine_destroy(refine);
    return error;
}

int improve_run(struct search *search, struct mapcore_error *err)
{
    size_t start = pick_start(search);
    struct refine_base *base;
    int error;

    if (search->problem.graph->row[search->problem.graph->ntasks] == 0 ||
        mapcore_alloc_nhosts(search->problem.alloc) < 2)
        return 0;
    if (search->work >= search->limit || search_spent(search) > LATE_SHARE ||
        map_deadline_passed(&search->problem.deadline)) {
        search->cut = true;
        return 0;
    }
    if ((error = refine_base_create(&base, &search->problem, search->seed,
                                    err)) < 0)
        return error;
    if (search->problem.graph->ntasks < SMALL)
        error = improve_small(search, base, start, err);
    else if (is_grid(search, start))
        error = improve_grid(search, base, start, err);
    else
        error = improve_large(search, base, start, err);
    refine_base_destroy(base);
    if (error == 0 && search->rule.choice != MAPCORE_CHOOSE_HOP_BYTES)
        error = improve_relief(search, err);
    return error;
}
