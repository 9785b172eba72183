/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_scale.c - the stage of a plan for a size that was not recorded: the
 * task graph predicted from the profiles of other sizes */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "base/array.h"
#include "grid/predict/grid_scale.h"

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
    /* What the largest of those that say it ran on, and by which --mpi of srun;
     * owned. */
    char *node, *mpi_type;
    bool other_build;
};

static void clear_recorded(struct scale_recorded *recorded)
{
    for (size_t k = 0; k < recorded->n; k++)
        mapcore_graph_destroy(recorded->graph[k]);
    free(recorded->node);
    free(recorded->mpi_type);
    *recorded = (struct scale_recorded){0};
}

/* The profile of one size and its critical types; the caller ends all three,
 * also after an error. */
static int open_size(struct catalogue_entry *entry,
                     struct profile **profile,
                     struct taskgraphs *graphs,
                     const struct planner *planner,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    int error = planner_find_entry(entry, planner, ntasks, err);

    if (error == 0 && entry->partial)
        error = error_set(err, MAPCORE_ENOENT, "%s is partial", entry->path);
    if (error == 0)
        error = profile_read(profile, entry->path, err);
    if (error == 0 && (*profile)->ntasks != ntasks)
        error = error_set(err, MAPCORE_EINVAL, "%s is of %u tasks, not %u",
                          entry->path, (*profile)->ntasks, ntasks);
    return error < 0 ? error
                     : taskgraphs_select(graphs, *profile,
                                         MAPCORE_CRITICAL_SHARE, err);
}

static void take_newer(char **to, char **from)
{
    if (!*from)
        return;
    free(*to);
    *to = *from;
    *from = NULL;
}

/* One size's graph of that name. */
static int read_size(struct scale_recorded *recorded,
                     const struct planner *planner,
                     const char *name,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    struct catalogue_entry entry = {0};
    struct profile *profile = NULL;
    struct taskgraphs graphs = {0};
    int error = open_size(&entry, &profile, &graphs, planner, ntasks, err);

    if (error == 0)
        error = taskgraphs_make(&recorded->graph[recorded->n], &graphs,
                                entry.path, name, err);
    if (error == 0) {
        recorded->n++;
        recorded->other_build |= entry.other_build;
        recorded->mpi = profile->mpi && strstr(profile->mpi, "Open MPI")
                            ? MAPCORE_SCALE_OPENMPI
                            : MAPCORE_SCALE_MPICH;
        take_newer(&recorded->node, &profile->node);
        take_newer(&recorded->mpi_type, &profile->mpi_type);
    }
    taskgraphs_clear(&graphs);
    profile_destroy(profile);
    catalogue_entry_clear(&entry);
    return error;
}

/* The sizes to predict from: ascending, as the catalogue lists them, the
 * largest of them when there are many; size[] is owned, *first the first of
 * them. */
static int list_sizes(uint32_t **size,
                      size_t *first,
                      size_t *n,
                      const struct planner *planner,
                      struct mapcore_error *err)
{
    const struct catalogue_query query = planner_query(planner);
    int error = catalogue_sizes(size, n, &query, err);

    if (error < 0)
        return error;
    while (*n > 0 && (*size)[*n - 1] > MOST_TASKS)
        --*n;
    *first = *n > MOST_SIZES ? *n - MOST_SIZES : 0;
    return 0;
}

/* What cannot be read is as if it were not there. */
static int read_sizes(struct scale_recorded *recorded,
                      const struct planner *planner,
                      const char *name,
                      struct mapcore_error *err)
{
    struct mapcore_error why = {.text = "no other size is recorded"};
    uint32_t *size = NULL;
    size_t n = 0, first;
    int error = list_sizes(&size, &first, &n, planner, err);

    if (error < 0)
        return error;
    for (size_t i = first; i < n; i++)
        (void)read_size(recorded, planner, name, size[i], &why);
    free(size);
    return recorded->n > 0 ? 0 : error_set(err, MAPCORE_ENOENT, "%s", why.text);
}

/* Predicts the graph of that name; recorded is the caller's to clear. */
static int predict(struct mapcore_scaled *out,
                   struct scale_recorded *recorded,
                   const struct planner *planner,
                   const char *name,
                   struct mapcore_error *err)
{
    int error = read_sizes(recorded, planner, name, err);

    if (error < 0)
        return error;
    if (planner->sources.deadline > 0 &&
        tool_now() >
            planner->sources.deadline -
                SHARE * (planner->sources.deadline - planner->request.start))
        return error_set(err, MAPCORE_ENOENT, "no time is left for it");
    return mapcore_grid_scale(
        out, (const struct mapcore_graph *const *)recorded->graph, recorded->n,
        planner->facts->ntasks, recorded->mpi, err);
}

/* Takes up a further type: the same grid, and what any of them does. */
static int join(struct mapcore_scaled *all,
                const struct mapcore_scaled *one,
                struct mapcore_error *err)
{
    if (all->ndims != one->ndims ||
        memcmp(all->dims, one->dims, all->ndims * sizeof(*all->dims)) != 0)
        return error_set(err, MAPCORE_ENOENT, "types of call are other grids");
    for (uint32_t i = 0; i < all->ndims; i++) {
        all->periodic[i] |= one->periodic[i];
        all->strong[i] |= one->strong[i];
    }
    if (one->explained < all->explained)
        all->explained = one->explained;
    return 0;
}

/* Each critical type of the largest size by itself, then the weighted sum by
 * the times of that size: how the time is shared out differs from run to run,
 * and is no law of the bytes. recorded is that of the first type. */
static int predict_types(struct mapcore_scaled *out,
                         struct scale_recorded *recorded,
                         const struct planner *planner,
                         const struct taskgraphs *graphs,
                         struct mapcore_error *err)
{
    size_t ntypes = graphs->profile->ntypes, n = 0;
    struct mapcore_graph **part = array_alloc(ntypes, sizeof(*part), err);
    double *weight = array_alloc(ntypes, sizeof(*weight), err);
    int error = part && weight ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < ntypes; i++) {
        struct scale_recorded sizes = {0};
        struct mapcore_scaled one = {0};

        if (graphs->role[i] != TASKGRAPHS_CRITICAL)
            continue;
        error = predict(&one, n == 0 ? recorded : &sizes, planner,
                        graphs->profile->types[i].name, err);
        if (error == 0 && n == 0)
            *out = one;
        else if (error == 0)
            error = join(out, &one, err);
        weight[n] = graphs->seconds[i];
        part[n++] = one.graph;
        clear_recorded(&sizes);
    }
    out->graph = NULL;
    if (error == 0)
        error = mapcore_graph_sum(&out->graph,
                                  (const struct mapcore_graph *const *)part,
                                  weight, n, err);
    for (size_t i = 0; i < n; i++)
        mapcore_graph_destroy(part[i]);
    free(part);
    free(weight);
    return error;
}

static bool is_partial(const struct planner *planner, uint32_t ntasks)
{
    const struct catalogue_query query = planner_query(planner);
    struct catalogue_entry entry = {0};
    const bool found = catalogue_find(&entry, &query, ntasks, NULL) == 0;
    const bool partial = found && entry.partial;

    catalogue_entry_clear(&entry);
    return partial;
}

/* Errors: ENOENT also where another graph is asked for: then it is predicted as
 * it is. */
static int predict_by_type(struct mapcore_scaled *out,
                           struct scale_recorded *recorded,
                           const struct planner *planner,
                           struct mapcore_error *err)
{
    struct catalogue_entry entry = {0};
    struct profile *profile = NULL;
    struct taskgraphs graphs = {0};
    uint32_t *size = NULL;
    size_t n = 0, first;
    int error;

    if (strcmp(planner->graph.name, "weighted-sum") != 0)
        return error_set(err, MAPCORE_ENOENT, "no sum of types");
    error = list_sizes(&size, &first, &n, planner, err);
    if (error == 0 && n == 0)
        error = error_set(err, MAPCORE_ENOENT, "no other size is recorded");
    while (error == 0 && n > first + 1 && is_partial(planner, size[n - 1]))
        n--;
    if (error == 0)
        error = open_size(&entry, &profile, &graphs, planner, size[n - 1], err);
    if (error == 0 && graphs.ncritical == 0)
        error = error_set(err, MAPCORE_ENOENT, "no critical type");
    if (error == 0)
        error = predict_types(out, recorded, planner, &graphs, err);
    taskgraphs_clear(&graphs);
    profile_destroy(profile);
    catalogue_entry_clear(&entry);
    free(size);
    return error;
}

/* In MPI_Cart_create's order: the ranks count fastest in the last. */
static void put_grid(FILE *out, const struct mapcore_scaled *scaled, bool marks)
{
    for (uint32_t i = scaled->ndims; i-- > 0;)
        fprintf(out, "%u%s%s", scaled->dims[i],
                marks && scaled->periodic[i] ? "p" : "", i > 0 ? "x" : "");
}

static void put_weights(FILE *out, const struct mapcore_scaled *scaled)
{
    const char *separator = "; bytes shrink along dimension ";
    bool any = false;

    for (uint32_t i = scaled->ndims; i-- > 0;)
        if (scaled->strong[i]) {
            fprintf(out, "%s%u", any ? ", " : separator, scaled->ndims - i);
            any = true;
        }
    if (!any)
        fputs("; bytes of each task are the same", out);
}

/* "profile of 8, 27 tasks; grid 4x4x4 predicted", and, behind a NUL, for those
 * who want it all, the rule, "4px4px4p by MPI_Dims_create; ...". */
static int describe(struct planner *planner,
                    const struct scale_recorded *recorded,
                    const struct mapcore_scaled *scaled,
                    struct mapcore_error *err)
{
    size_t n;
    FILE *out = open_memstream(&planner->graph.prediction, &n);

    if (!out)
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    for (size_t k = 0; k < recorded->n; k++)
        fprintf(out, "%s%u", k > 0 ? ", " : "profile of ",
                mapcore_graph_ntasks(recorded->graph[k]));
    fprintf(out, " tasks%s; grid ",
            recorded->other_build ? " recorded with another build" : "");
    put_grid(out, scaled, false);
    fprintf(out, " predicted%c", '\0');
    put_grid(out, scaled, true);
    fprintf(out, " by %s, explains %.1f%% of the recorded bytes", scaled->rule,
            100 * scaled->explained);
    put_weights(out, scaled);
    if (fclose(out) != 0) {
        free(planner->graph.prediction);
        planner->graph.prediction = NULL;
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    }
    planner->graph.rule =
        planner->graph.prediction + strlen(planner->graph.prediction) + 1;
    return 0;
}

int planner_scale(struct planner *planner, struct mapcore_error *err)
{
    struct scale_recorded recorded = {0};
    struct mapcore_scaled scaled = {0};
    struct mapcore_error ignored;
    int error;

    if (planner->request.scale == SCALE_OFF)
        return error_set(err, MAPCORE_ENOENT, "not asked for");
    planner->graph.name =
        planner->request.graph ? planner->request.graph : "weighted-sum";
    if (strcmp(planner->graph.name, "best") == 0)
        return error_set(err, MAPCORE_ENOENT,
                         "what is best was not measured at this size");
    if (predict_by_type(&scaled, &recorded, planner, &ignored) < 0) {
        clear_recorded(&recorded);
        scaled = (struct mapcore_scaled){0};
        if ((error = predict(&scaled, &recorded, planner, planner->graph.name,
                             err)) < 0)
            goto out;
    }
    if ((error = describe(planner, &recorded, &scaled, err)) < 0)
        goto out;
    planner->graph.task_graph = scaled.graph;
    scaled.graph = NULL;
    planner->graph.recorded_node = recorded.node;
    planner->graph.recorded_mpi_type = recorded.mpi_type;
    recorded.node = recorded.mpi_type = NULL;
out:
    if (error < 0)
        planner->graph.name = NULL;
    mapcore_graph_destroy(scaled.graph);
    clear_recorded(&recorded);
    return error;
}
