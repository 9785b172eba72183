/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_graph.c - the stage of a plan that finds its task graph: a file, or
 * one of the profile's, by name or as it was measured to be best */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/array.h"
#include "grid/grid_make.h"
#include "launch/plan_words.h"
#include "tools/learn/learn.h"
#include "tools/plan/planner/planner_earlier.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The graphs that race: the sums over the critical types, and each of these,
 * the most time first; with one type all are the same. graph[] borrows. */
static size_t list_graphs(const char *graph[static LEARN_GRAPHS_MOST],
                          const struct profile *profile)
{
    struct taskgraphs all;
    size_t n = 0;

    if (taskgraphs_select(&all, profile, MAPCORE_CRITICAL_SHARE, NULL) < 0)
        return 0;
    if (all.ncritical > 1) {
        graph[n++] = "weighted-sum";
        graph[n++] = "sum";
    }
    for (size_t k = 0; n > 0 && k < all.ncritical && n < LEARN_GRAPHS_MOST;
         k++) {
        size_t most = profile->ntypes;

        for (size_t i = 0; i < profile->ntypes; i++)
            if (all.role[i] == TASKGRAPHS_CRITICAL &&
                (most == profile->ntypes || all.seconds[i] > all.seconds[most]))
                most = i;
        all.role[most] = TASKGRAPHS_LIGHT;
        graph[n++] = profile->types[most].name;
    }
    taskgraphs_clear(&all);
    return n;
}

/* The placed runs of each graph. *runs is owned. */
static int find_graph_runs(struct learn_graph_run **runs,
                           size_t *n,
                           const struct planner *planner,
                           const char *const *graph,
                           size_t ngraphs)
{
    const struct history *history = &planner->earlier->history;

    *n = 0;
    *runs = array_alloc(history->n, sizeof(**runs), NULL);
    if (!*runs)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < history->n; i++) {
        const struct history_line *step = &history->step[i];
        struct learn_run run;

        if (!planner_earlier_run(&run, step, planner) || !run.placed ||
            !step->graph)
            continue;
        for (size_t g = 0; g < ngraphs; g++)
            if (strcmp(step->graph, graph[g]) == 0)
                (*runs)[(*n)++] =
                    (struct learn_graph_run){run.at_s, run.seconds, g};
    }
    return 0;
}

/* "graph sum is tried against p2p (3 pairs of runs)", "graph p2p took 4.1% less
 * time than weighted-sum (12 pairs of runs)"; nothing where none is or was
 * better. */
static void put_race(struct planner *planner,
                     const struct learn_race *race,
                     const char *const *graph)
{
    char *text = planner->graph.race;
    size_t size = sizeof(planner->graph.race);

    if (race->graph != race->holder)
        snprintf(text, size,
                 "graph %.40s is tried against %.40s (%zu pairs of runs)",
                 graph[race->challenger], graph[race->holder],
                 race->open.npairs);
    else if (race->holder != race->beaten)
        snprintf(
            text, size,
            "graph %.40s took %.1f%% less time than %.40s (%zu pairs of runs)",
            graph[race->holder], 100 * (1 - exp(race->won.shift.estimate)),
            graph[race->beaten], race->won.shift.n);
}

/* For a request with learn whose profile is read: the name of the graph that
 * holds, or that is tried against it this time, borrowed from the profile or
 * static, and graph.race says so in a few words. NULL: the profile's usual one,
 * as long as it is not known whether placing is worth anything, and where all
 * graphs are the same. */
static const char *race_graph(struct planner *planner)
{
    const struct planner_earlier *earlier = planner_earlier_know(planner);
    const char *graph[LEARN_GRAPHS_MOST], *chosen = NULL;
    struct learn_graph_run *graph_runs = NULL;
    struct learn_run *runs = NULL;
    struct learn_decision decision;
    struct mapcore_error ignored;
    struct learn_race race;
    size_t ngraphs = list_graphs(graph, planner->sources.profile), n;

    if (!earlier || !earlier->launch.program || ngraphs == 0)
        return NULL;
    /* First it is found out whether placing is worth anything. */
    if (planner_earlier_runs(&runs, &n, planner, &ignored) == 0 &&
        learn_decide(&decision, runs, n,
                     &(struct learn_next){earlier->launch.at_s, 0},
                     &ignored) == 0 &&
        (decision.verdict == LEARN_FASTER || decision.verdict == LEARN_OPEN) &&
        find_graph_runs(&graph_runs, &n, planner, graph, ngraphs) == 0 &&
        learn_race_decide(
            &race, graph_runs, n, ngraphs,
            &(struct learn_next){earlier->launch.at_s,
                                 planner_earlier_lot(planner, "graph ")},
            &ignored) == 0) {
        chosen = graph[race.graph];
        planner->earlier->holder = graph[race.holder];
        put_race(planner, &race, graph);
    }
    free(graph_runs);
    free(runs);
    return chosen;
}

static int read_graph_file(struct planner *planner)
{
    const struct mapcore_graph_reading how = {
        .format = planner->request.graph_format,
        .ntasks = planner->facts->ntasks,
    };

    planner->graph.name = planner->request.graph;
    if (graph_word_is_pattern(planner->request.graph))
        return mapcore_pattern_graph(&planner->graph.task_graph,
                                     planner->request.graph,
                                     planner->facts->ntasks, planner->err);
    return mapcore_graph_read(&planner->graph.task_graph,
                              planner->request.graph, &how, planner->err);
}

/* What topomap tune has found: Slurm's own layout is the fastest. A user
 * who asks for a graph by its name does not get that answer. */
static int keep_unmapped(struct planner *planner)
{
    return planner_stop(planner, MESSAGE_TUNED, planner_subject(planner),
                        planner->facts->ntasks);
}

/* The graph to use. One that is asked for by name is not argued with. */
static int choose_graph(struct planner *planner)
{
    bool best =
        planner->request.graph && strcmp(planner->request.graph, "best") == 0;
    struct mapcore_error why;
    int error;

    planner->graph.name = planner->request.graph;
    if (planner->request.graph && !best)
        return 0;
    planner->graph.name = "weighted-sum";
    error = evaluation_read(&planner->sources.evaluation,
                            planner->sources.entry.path, &why);
    if (error == 0 && planner->sources.evaluation->best &&
        (best || planner->sources.evaluation->decides)) {
        planner->graph.name = planner->sources.evaluation->best;
        planner->graph.is_measured = true;
        return planner->sources.evaluation->unmapped_is_best && !best
                   ? keep_unmapped(planner)
                   : 0;
    }
    if ((error == 0 || error == MAPCORE_ENOENT) && !best &&
        planner->request.learn) {
        const char *graph = race_graph(planner);

        planner->graph.is_raced = graph != NULL;
        planner->graph.name = graph ? graph : planner->graph.name;
        return 0;
    }
    if (error == 0 || error == MAPCORE_ENOENT)
        return best ? planner_stop(planner, MESSAGE_UNMEASURED,
                                   planner_subject(planner),
                                   planner->facts->ntasks)
                    : 0;
    planner->sources.evaluation_is_bad = true;
    return best ? planner_stop(planner, MESSAGE_FAILED, why.text) : 0;
}

static int make_graph(struct planner *planner)
{
    const char *name = planner->graph.name;
    struct taskgraphs graphs;
    struct mapcore_error why;
    bool gains_nothing = false;
    int error = taskgraphs_select(&graphs, planner->sources.profile,
                                  MAPCORE_CRITICAL_SHARE, &why);

    if (error == 0) {
        error = taskgraphs_make(&planner->graph.task_graph, &graphs,
                                planner->sources.entry.path, name, &why);
        gains_nothing = error == MAPCORE_ENOENT && taskgraphs_is_sum(name) &&
                        taskgraphs_gain_nothing(&graphs);
        taskgraphs_clear(&graphs);
    }
    if (gains_nothing)
        return planner_stop(planner, MESSAGE_KEPT, why.text);
    return error < 0 ? planner_stop(planner, MESSAGE_FAILED, why.text) : 0;
}

static int read_profile(struct planner *planner)
{
    struct mapcore_error why;
    int error;

    error = profile_read(&planner->sources.profile, planner->sources.entry.path,
                         &why);
    if (error == 0 &&
        planner->sources.profile->ntasks != planner->facts->ntasks)
        error =
            error_set(&why, MAPCORE_EINVAL, "%s is of %u tasks, not %u",
                      planner->sources.entry.path,
                      planner->sources.profile->ntasks, planner->facts->ntasks);
    if (error < 0)
        return planner_stop(planner, MESSAGE_FAILED, why.text);
    error = choose_graph(planner);
    return error != 0 ? error : make_graph(planner);
}

int planner_read_graph(struct planner *planner)
{
    return planner_graph_is_file(&planner->request) ? read_graph_file(planner)
                                                    : read_profile(planner);
}
