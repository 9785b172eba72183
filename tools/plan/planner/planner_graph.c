/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_graph.c - the stage of a plan that finds its task graph: a file, or
 * one of the profile's, by name or as it was measured to be best */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "grid/grid_make.h"
#include "launch/plan_words.h"

#include <string.h>

static int read_graph_file(struct planner *planner, struct mapcore_error *err)
{
    const struct mapcore_graph_reading how = {
        .format = planner->request.graph_format,
        .ntasks = planner->facts->ntasks,
    };

    planner->graph.name = planner->request.graph;
    if (graph_word_is_pattern(planner->request.graph))
        return mapcore_pattern_graph(&planner->graph.task_graph,
                                     planner->request.graph,
                                     planner->facts->ntasks, err);
    return mapcore_graph_read(&planner->graph.task_graph,
                              planner->request.graph, &how, err);
}

/* What topomap tune has found: Slurm's own layout is the fastest. Nobody who
 * asks for a graph by its name is told so. */
static int keep_unmapped(struct planner *planner, struct mapcore_error *err)
{
    return planner_stop(
        planner, MAPCORE_PLAN_UNCHANGED, err,
        "%s's %u ranks stay %s: topomap tune has measured that "
        "no graph makes it faster (topomap profile show; topomap tune "
        "--forget undoes it)",
        planner_subject(planner), planner->facts->ntasks,
        planner->request.by_place ? "where they are" : "as Slurm put them");
}

/* The graph to use. One that is asked for by name is not argued with. */
static int choose_graph(struct planner *planner, struct mapcore_error *err)
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
                   ? keep_unmapped(planner, err)
                   : 0;
    }
    if ((error == 0 || error == MAPCORE_ENOENT) && !best &&
        planner->request.learn) {
        const char *graph = planner_race_graph(planner);

        planner->graph.is_raced = graph != NULL;
        planner->graph.name = graph ? graph : planner->graph.name;
        return 0;
    }
    if (error == 0 || error == MAPCORE_ENOENT)
        return best ? planner_stop(
                          planner, MAPCORE_PLAN_FAILED, err,
                          "the graphs of %s (%u tasks) were never measured: "
                          "topomap tune does that",
                          planner_subject(planner), planner->facts->ntasks)
                    : 0;
    planner->sources.evaluation_is_bad = true;
    return best
               ? planner_stop(planner, MAPCORE_PLAN_FAILED, err, "%s", why.text)
               : 0;
}

static int make_graph(struct planner *planner, struct mapcore_error *err)
{
    struct taskgraphs graphs;
    int error = taskgraphs_select(&graphs, planner->sources.profile,
                                  MAPCORE_CRITICAL_SHARE, err);

    if (error < 0)
        return error;
    error =
        taskgraphs_make(&planner->graph.task_graph, &graphs,
                        planner->sources.entry.path, planner->graph.name, err);
    taskgraphs_clear(&graphs);
    return error;
}

static int read_profile(struct planner *planner, struct mapcore_error *err)
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
        return planner_stop(planner, MAPCORE_PLAN_FAILED, err, "%s", why.text);
    error = choose_graph(planner, err);
    if (error != 0)
        return error;
    if (make_graph(planner, &why) < 0)
        return planner_stop(planner, MAPCORE_PLAN_FAILED, err, "%s", why.text);
    return 0;
}

int planner_read_graph(struct planner *planner, struct mapcore_error *err)
{
    return planner_graph_is_file(&planner->request)
               ? read_graph_file(planner, err)
               : read_profile(planner, err);
}
