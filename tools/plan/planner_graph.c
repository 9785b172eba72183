/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_graph.c - the stage of a plan that finds its task graph: a file, or
 * one of the profile's, by name or as it was measured to be best */
#include "config.h"

#include "tools/plan/planner.h"

#include "grid/grid_make.h"
#include "launch/graph_word.h"

#include <string.h>

bool planner_graph_is_file(const struct planner *planner)
{
    /* As srun tells them apart. */
    return planner->graph && (graph_word_is_file(planner->graph) ||
                              graph_word_is_pattern(planner->graph));
}

static int read_graph_file(struct planner *planner, struct mapcore_error *err)
{
    const struct mapcore_graph_reading how = {
        .format = planner->graph_format,
        .ntasks = planner->facts->ntasks,
    };

    planner->graph_name = planner->graph;
    if (graph_word_is_pattern(planner->graph))
        return mapcore_pattern_graph(&planner->task_graph, planner->graph,
                                     planner->facts->ntasks, err);
    return mapcore_graph_read(&planner->task_graph, planner->graph, &how, err);
}

/* What topomap tune has found: Slurm's own layout is the fastest. Nobody who
 * asks for a graph by its name is told so. */
static int keep_unmapped(struct planner *planner, struct mapcore_error *err)
{
    /* An answer and no failure: srun tells the two apart by whether time was
     * spent on a graph. */
    planner->plan.milliseconds[2] = 0.001;
    return planner_stop(
        planner, err,
        "%s's %u ranks stay as Slurm put them: topomap tune has measured that "
        "no graph makes it faster (topomap profile show; topomap tune "
        "--forget undoes it)",
        planner_subject(planner), planner->facts->ntasks);
}

/* The graph to use. One that is asked for by name is not argued with. */
static int choose_graph(struct planner *planner, struct mapcore_error *err)
{
    bool best = planner->graph && strcmp(planner->graph, "best") == 0;
    struct mapcore_error why;
    int error;

    planner->graph_name = planner->graph;
    if (planner->graph && !best)
        return 0;
    planner->graph_name = "weighted-sum";
    error = evaluation_read(&planner->evaluation, planner->entry.path, &why);
    if (error == 0 && planner->evaluation->best &&
        (best || evaluation_decides(planner->evaluation))) {
        planner->graph_name = planner->evaluation->best;
        planner->is_measured = true;
        return planner->evaluation->unmapped_is_best && !best
                   ? keep_unmapped(planner, err)
                   : 0;
    }
    if (error == 0 || error == MAPCORE_ENOENT)
        return best ? planner_stop(
                          planner, err,
                          "the graphs of %s (%u tasks) were never measured: "
                          "topomap tune does that",
                          planner_subject(planner), planner->facts->ntasks)
                    : 0;
    planner->evaluation_is_bad = true;
    return best ? planner_stop(planner, err, "%s", why.text) : 0;
}

static int make_graph(struct planner *planner, struct mapcore_error *err)
{
    struct taskgraphs graphs;
    int error = taskgraphs_select(&graphs, planner->profile,
                                  MAPCORE_CRITICAL_SHARE, err);

    if (error < 0)
        return error;
    error = taskgraphs_make(&planner->task_graph, &graphs, planner->entry.path,
                            planner->graph_name, err);
    taskgraphs_clear(&graphs);
    return error;
}

static int read_profile(struct planner *planner, struct mapcore_error *err)
{
    struct mapcore_error why;
    int error;

    error = profile_read(&planner->profile, planner->entry.path, &why);
    if (error == 0 && planner->profile->ntasks != planner->facts->ntasks)
        error = error_set(&why, MAPCORE_EINVAL, "%s is of %u tasks, not %u",
                          planner->entry.path, planner->profile->ntasks,
                          planner->facts->ntasks);
    if (error < 0)
        return planner_stop(planner, err, "%s", why.text);
    error = choose_graph(planner, err);
    if (error != 0)
        return error;
    if (make_graph(planner, &why) < 0)
        return planner_stop(planner, err, "%s", why.text);
    return 0;
}

int planner_read_graph(struct planner *planner, struct mapcore_error *err)
{
    return planner_graph_is_file(planner) ? read_graph_file(planner, err)
                                          : read_profile(planner, err);
}
