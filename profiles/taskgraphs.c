/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* taskgraphs.c - which types of a profile are critical, and the graphs made of
 * them */
#include "config.h"

#include "profiles/taskgraphs.h"

#include "profiles/expand.h"

#include "base/array.h"
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

bool taskgraphs_is_sum(const char *name)
{
    return strcmp(name, "sum") == 0 || strcmp(name, "weighted-sum") == 0 ||
           strcmp(name, "all") == 0;
}

/* Time on communicators that are not large, if the recorder took some
 * collectives for large and the profile tells sizes. */
static double time_without_large(const struct profile *profile,
                                 const struct profile_type *type)
{
    const double share = profile->large_share > 0 ? profile->large_share : 0.5;
    const uint64_t ppm = (uint64_t)(share * 1e6 + 0.5); /* as the recorder */
    double seconds = 0;

    if (type->ncommunicators == 0 || type->large_bytes == 0)
        return type->seconds;
    for (size_t i = 0; i < type->ncommunicators; i++)
        if (type->communicators[i].size * UINT64_C(1000000) <=
            ppm * profile->ntasks)
            seconds += type->communicators[i].seconds;
    return seconds;
}

static enum taskgraphs_role role_without_graph(const struct profile_type *type)
{
    /* The words of the recorder, whose other reasons are that nothing was sent,
     * or not to a task of MPI_COMM_WORLD. */
    return type->why && strncmp(type->why, "over ", 5) == 0
               ? TASKGRAPHS_LARGE
               : TASKGRAPHS_PAIRLESS;
}

static int choose(struct taskgraphs *graphs,
                  bool *critical,
                  bool *is_out,
                  struct mapcore_error *err)
{
    const struct profile *profile = graphs->profile;
    bool has_nccl = false;
    int error;

    /* Its calls have no seconds: bytes are all that can be compared. */
    for (size_t i = 0; i < profile->ntypes; i++)
        has_nccl = has_nccl || profile->types[i].nccl_calls > 0;
    for (size_t i = 0; i < profile->ntypes; i++) {
        const struct profile_type *type = &profile->types[i];

        is_out[i] = !type->graph;
        graphs->total += type->seconds;
        if (!is_out[i] && !has_nccl) {
            graphs->seconds[i] = time_without_large(profile, type);
            graphs->counted += graphs->seconds[i];
        }
    }
    error = mapcore_critical_select(critical, graphs->seconds, is_out,
                                    profile->ntypes, graphs->share, err);
    for (size_t i = 0; error == 0 && i < profile->ntypes; i++) {
        graphs->role[i] = is_out[i]     ? role_without_graph(&profile->types[i])
                          : critical[i] ? TASKGRAPHS_CRITICAL
                                        : TASKGRAPHS_LIGHT;
        graphs->ncritical += critical[i];
    }
    return error;
}

int taskgraphs_select(struct taskgraphs *out,
                      const struct profile *profile,
                      double share,
                      struct mapcore_error *err)
{
    struct taskgraphs graphs = {.profile = profile, .share = share};
    size_t n = profile->ntypes;
    bool *critical = array_alloc(n, sizeof(*critical), err);
    bool *is_out = array_alloc(n, sizeof(*is_out), err);
    int error = MAPCORE_ENOMEM;

    graphs.role = array_alloc(n, sizeof(*graphs.role), err);
    graphs.seconds = array_alloc(n, sizeof(*graphs.seconds), err);
    if (critical && is_out && graphs.role && graphs.seconds)
        error = choose(&graphs, critical, is_out, err);
    free(critical);
    free(is_out);
    if (error < 0)
        taskgraphs_clear(&graphs);
    else
        *out = graphs;
    return error;
}

void taskgraphs_clear(struct taskgraphs *graphs)
{
    free(graphs->role);
    free(graphs->seconds);
    *graphs = (struct taskgraphs){0};
}

bool taskgraphs_gain_nothing(const struct taskgraphs *graphs)
{
    for (size_t i = 0; i < graphs->profile->ntypes; i++)
        if (graphs->role[i] == TASKGRAPHS_LARGE)
            return graphs->ncritical == 0;
    return false;
}

/* Why there is nothing to add up. */
static int complain(const struct taskgraphs *graphs, struct mapcore_error *err)
{
    const struct profile *profile = graphs->profile;
    struct buffer large = {0};

    for (size_t i = 0; i < profile->ntypes; i++)
        if (graphs->role[i] == TASKGRAPHS_LARGE)
            (void)buffer_printf(&large, "%s%s", large.n > 0 ? ", " : "",
                                profile->types[i].name);
    if (large.n > 0)
        error_set(err, MAPCORE_ENOENT,
                  "%.100s communicates only by collectives of most of its "
                  "tasks (%.200s): no layout is better for them than another",
                  profile->program, large.bytes);
    else
        error_set(err, MAPCORE_ENOENT,
                  "the profile of %.100s has no task graph: no two tasks of it "
                  "sent each other anything that was counted",
                  profile->program);
    buffer_clear(&large);
    return MAPCORE_ENOENT;
}

static int add_up(struct mapcore_graph **out,
                  struct mapcore_graph **parts,
                  const double *weights,
                  size_t n,
                  const char *name,
                  struct mapcore_error *err)
{
    const struct mapcore_graph *const *graphs =
        (const struct mapcore_graph *const *)parts;

    if (n == 1) {
        *out = parts[0];
        parts[0] = NULL;
        return 0;
    }
    return mapcore_graph_sum(out, graphs,
                             strcmp(name, "weighted-sum") == 0 ? weights : NULL,
                             n, err);
}

/* A type as the MPI library runs its collectives, if that is known; else, and
 * for what is no collective, as it was recorded. A star in the place of a tree
 * cost up to 1.45 times the time. */
static int graph_as_run(struct mapcore_graph **out,
                        const struct profile *profile,
                        const char *folder,
                        const char *type,
                        struct mapcore_error *err)
{
    struct mapcore_graph *recorded = NULL;
    struct expand_subject subject = {.folder = folder, .type = type};
    struct mapcore_error ignored;
    int error = profile_graph(&recorded, profile, folder, type, err);

    if (error < 0)
        return error;
    subject.recorded = recorded;
    if (strcmp(type, "p2p") == 0 ||
        expand_as_run(out, NULL, profile, &subject, &ignored) < 0)
        *out = recorded;
    else
        mapcore_graph_destroy(recorded);
    return 0;
}

int taskgraphs_make(struct mapcore_graph **out,
                    const struct taskgraphs *graphs,
                    const char *folder,
                    const char *name,
                    struct mapcore_error *err)
{
    const struct profile *profile = graphs->profile;
    bool all = strcmp(name, "all") == 0;
    bool weighted = strcmp(name, "weighted-sum") == 0;
    struct mapcore_graph **parts;
    double *weights;
    size_t n = 0;
    int error = 0;

    if (!taskgraphs_is_sum(name))
        return profile_graph(out, profile, folder, name, err);
    parts = array_alloc(profile->ntypes, sizeof(*parts), err);
    weights = array_alloc(profile->ntypes, sizeof(*weights), err);
    if (!parts || !weights)
        error = MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < profile->ntypes; i++) {
        if (graphs->role[i] != TASKGRAPHS_CRITICAL &&
            !(all && profile->types[i].graph))
            continue;
        weights[n] = graphs->seconds[i];
        error = (weighted ? graph_as_run : profile_graph)(
            &parts[n], profile, folder, profile->types[i].name, err);
        n += error == 0;
    }
    if (error == 0)
        error = n == 0 ? complain(graphs, err)
                       : add_up(out, parts, weights, n, name, err);
    for (size_t i = 0; i < n; i++)
        mapcore_graph_destroy(parts[i]);
    free(parts);
    free(weights);
    return error;
}

const char *taskgraphs_why_not(const struct taskgraphs *graphs, size_t type)
{
    const char *why = graphs->profile->types[type].why;

    switch (graphs->role[type]) {
    case TASKGRAPHS_CRITICAL:
        return NULL;
    case TASKGRAPHS_LIGHT:
        return graphs->seconds[type] > 0 ? "too little time" : "no time";
    case TASKGRAPHS_LARGE:
    case TASKGRAPHS_PAIRLESS:
        break;
    }
    return why ? why : "sends no bytes";
}
