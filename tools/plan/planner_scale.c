/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_scale.c - the stage of a plan for a size that nobody recorded: the
 * task graph predicted from the profiles of other sizes */
#include "config.h"

#include "tools/plan/planner.h"

#include "base/array.h"
#include "base/buffer.h"
#include "grid/predict/grid_scale.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More sizes say nothing more, and larger graphs take longer than a launch
 * should. */
enum {
    MOST_SIZES = 6,
    MOST_TASKS = 1 << 17,
};
/* Of the time there is; the rest is the search's. */
static const double SHARE = 0.5;

/* What is predicted from. */
struct scale_recorded {
    struct mapcore_graph *graph[MOST_SIZES];
    size_t n;
    enum mapcore_scale_mpi mpi; /* of the largest */
    bool other_build;
};

/* One size's graph, of the same kind as would be used at the size itself. */
static int read_size(struct scale_recorded *recorded,
                     const struct planner *planner,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    struct catalogue_entry entry = {0};
    struct profile *profile = NULL;
    struct taskgraphs graphs = {0};
    int error =
        catalogue_find(&entry, planner->roots.item, planner->roots.n,
                       planner->own_root != NULL, planner_subject(planner),
                       planner->name ? NULL : planner->identity, ntasks, err);

    if (error == 0)
        error = profile_read(&profile, entry.path, err);
    if (error == 0 && profile->ntasks != ntasks)
        error = error_set(err, MAPCORE_EINVAL, "%s is of %u tasks, not %u",
                          entry.path, profile->ntasks, ntasks);
    if (error == 0)
        error =
            taskgraphs_select(&graphs, profile, MAPCORE_CRITICAL_SHARE, err);
    if (error == 0)
        error = taskgraphs_make(&recorded->graph[recorded->n], &graphs,
                                entry.path, planner->graph_name, err);
    if (error == 0) {
        recorded->n++;
        recorded->other_build |= entry.other_build;
        recorded->mpi = profile->mpi && strstr(profile->mpi, "Open MPI")
                            ? MAPCORE_SCALE_OPENMPI
                            : MAPCORE_SCALE_MPICH;
    }
    taskgraphs_clear(&graphs);
    profile_destroy(profile);
    catalogue_entry_clear(&entry);
    return error;
}

/* Ascending, as the catalogue lists them; the largest when there are many. What
 * cannot be read is as if it were not there. */
static int read_sizes(struct scale_recorded *recorded,
                      const struct planner *planner,
                      struct mapcore_error *err)
{
    struct mapcore_error why = {.text = "no other size is recorded"};
    uint32_t *size = NULL;
    size_t n = 0, first;
    int error = catalogue_sizes(&size, &n, planner->roots.item,
                                planner->roots.n, planner_subject(planner),
                                planner->name ? NULL : planner->identity, err);

    if (error < 0)
        return error;
    while (n > 0 && size[n - 1] > MOST_TASKS)
        n--;
    first = n > MOST_SIZES ? n - MOST_SIZES : 0;
    for (size_t i = first; i < n; i++)
        (void)read_size(recorded, planner, size[i], &why);
    free(size);
    return recorded->n > 0 ? 0 : error_set(err, MAPCORE_ENOENT, "%s", why.text);
}

/* In MPI_Cart_create's order: the ranks count fastest in the last. */
static int describe_grid(struct buffer *out,
                         const struct mapcore_scaled *scaled,
                         bool marks,
                         struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t i = scaled->ndims; error == 0 && i-- > 0;)
        error = buffer_printf(out, err, "%" PRIu32 "%s%s", scaled->dims[i],
                              marks && scaled->periodic[i] ? "p" : "",
                              i > 0 ? "x" : "");
    return error;
}

static int describe_weights(struct buffer *out,
                            const struct mapcore_scaled *scaled,
                            struct mapcore_error *err)
{
    const char *separator = "; bytes shrink along dimension ";
    int error = 0;
    bool any = false;

    for (uint32_t i = scaled->ndims; error == 0 && i-- > 0;)
        if (scaled->strong[i]) {
            error = buffer_printf(out, err, "%s%" PRIu32, separator,
                                  scaled->ndims - i);
            separator = ", ";
            any = true;
        }
    return error == 0 && !any
               ? buffer_printf(out, err, "; bytes of each task are the same")
               : error;
}

/* "profile of 8, 27 tasks; grid 4x4x4 predicted", and, for those who want it
 * all, "4px4px4p by MPI_Dims_create; ...". */
static int describe(struct planner *planner,
                    const struct scale_recorded *recorded,
                    const struct mapcore_scaled *scaled,
                    struct mapcore_error *err)
{
    struct buffer text = {0}, rule = {0};
    int error = 0;

    for (size_t k = 0; error == 0 && k < recorded->n; k++)
        error = buffer_printf(&text, err, "%s%" PRIu32,
                              k > 0 ? ", " : "profile of ",
                              mapcore_graph_ntasks(recorded->graph[k]));
    if (error == 0)
        error = buffer_printf(
            &text, err, " tasks%s; grid ",
            recorded->other_build ? " recorded with another build" : "");
    if (error == 0)
        error = describe_grid(&text, scaled, false, err);
    if (error == 0)
        error = buffer_printf(&text, err, " predicted");
    if (error == 0)
        error = describe_grid(&rule, scaled, true, err);
    if (error == 0)
        error = buffer_printf(&rule, err,
                              " by %s, explains %.1f%% of the recorded bytes",
                              scaled->rule, 100 * scaled->explained);
    if (error == 0)
        error = describe_weights(&rule, scaled, err);
    if (error == 0) {
        planner->prediction = buffer_steal(&text);
        planner->prediction_rule = buffer_steal(&rule);
    }
    buffer_clear(&text);
    buffer_clear(&rule);
    return error;
}

int planner_scale(struct planner *planner, struct mapcore_error *err)
{
    struct scale_recorded recorded = {0};
    struct mapcore_scaled scaled = {0};
    int error;

    if (planner->no_scale)
        return error_set(err, MAPCORE_ENOENT, "not asked for");
    planner->graph_name = planner->graph ? planner->graph : "weighted-sum";
    if (strcmp(planner->graph_name, "best") == 0)
        return error_set(err, MAPCORE_ENOENT,
                         "what is best was not measured at this size");
    if ((error = read_sizes(&recorded, planner, err)) < 0)
        goto out;
    if (planner->deadline > 0 &&
        tool_now() >
            planner->deadline - SHARE * (planner->deadline - planner->start)) {
        error = error_set(err, MAPCORE_ENOENT, "no time is left for it");
        goto out;
    }
    if ((error = mapcore_grid_scale(
             &scaled, (const struct mapcore_graph *const *)recorded.graph,
             recorded.n, planner->facts->ntasks, recorded.mpi, err)) < 0 ||
        (error = describe(planner, &recorded, &scaled, err)) < 0)
        goto out;
    planner->task_graph = scaled.graph;
    scaled.graph = NULL;
out:
    if (error < 0)
        planner->graph_name = NULL;
    mapcore_graph_destroy(scaled.graph);
    for (size_t k = 0; k < recorded.n; k++)
        mapcore_graph_destroy(recorded.graph[k]);
    return error;
}
