/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* type_stages.c - the calls of a type, expanded anew for each mapping */
#include "config.h"

#include "profiles/type_stages.h"

#include "base/array.h"
#include "base/text.h"
#include "profiles/collectives/by_node.h"

#include <stdlib.h>
#include <string.h>

struct type_stages {
    char *type; /* owned */
    enum algorithm_library library;
    uint32_t ntasks;
    struct expanded calls; /* and no flows */
};

void type_stages_destroy(struct type_stages *stages)
{
    if (!stages)
        return;
    free(stages->type);
    expanded_clear(&stages->calls);
    free(stages);
}

/* *out is NULL without an error where the library runs the type's calls the
 * same on any nodes. Takes the calls and the members of expanded, and leaves it
 * empty, if there is something to keep. */
static int create(struct type_stages **out,
                  struct expanded *expanded,
                  const struct profile *profile,
                  const char *type)
{
    const enum algorithm_library library = algorithm_library_of(profile->mpi);
    struct type_stages *stages;

    *out = NULL;
    if (!by_node_is(type, library))
        return 0;
    stages = array_alloc(1, sizeof(*stages), expanded->err);
    if (!stages)
        return MAPCORE_ENOMEM;
    stages->library = library;
    stages->ntasks = profile->ntasks;
    if (text_copy(&stages->type, type, expanded->err) < 0) {
        free(stages);
        return MAPCORE_ENOMEM;
    }
    expanded_clear_flows(expanded);
    stages->calls = *expanded;
    *expanded = (struct expanded){0};
    *out = stages;
    return 0;
}

/* The flows of a mapping, call after call. */
struct staged {
    const struct type_stages *of;
    const uint32_t *host;
    uint32_t nhosts;
    uint32_t *node; /* [ntasks] of the call at hand: of each of its ranks */
    const struct expanded_call *call;
    struct expanded expanded; /* borrows members */
};

static int add_flow(void *arg, const struct algorithm_flow *flow)
{
    struct staged *staged = arg;

    return expanded_add_flow(&staged->expanded, staged->call->members, flow);
}

static int stage_call(struct staged *staged, const struct expanded_call *from)
{
    const struct algorithm_call call = {.type = staged->of->type,
                                        .library = from->library,
                                        .n = from->size,
                                        .root = from->root,
                                        .in_stages = true,
                                        .calls = from->calls,
                                        .bytes = from->bytes};
    struct expanded *expanded = &staged->expanded;
    int error;

    for (uint32_t i = 0; i < from->size; i++)
        staged->node[i] = staged->host[from->members ? from->members[i] : i];
    staged->call = from;
    error = by_node_expand(&call, staged->node, staged->nhosts, add_flow,
                           staged, staged->expanded.err);
    if (error < 0)
        return error;
    expanded->call[expanded->ncalls] = *from;
    expanded->call[expanded->ncalls++].end = expanded->nflows;
    return 0;
}

static int make(struct mapcore_phases **out,
                const void *of,
                const uint32_t *host,
                struct mapcore_error *err)
{
    const struct type_stages *stages = of;
    const size_t ncalls = stages->calls.ncalls;
    struct staged staged = {.of = stages, .host = host, .expanded.err = err};
    int error = 0;

    for (uint32_t t = 0; t < stages->ntasks; t++)
        if (host[t] >= staged.nhosts)
            staged.nhosts = host[t] + 1;
    staged.node = array_alloc(stages->ntasks, sizeof(*staged.node), err);
    staged.expanded.call =
        array_alloc(ncalls, sizeof(*staged.expanded.call), err);
    if (!staged.node || !staged.expanded.call)
        error = MAPCORE_ENOMEM;
    for (size_t c = 0; error == 0 && c < ncalls; c++)
        error = stage_call(&staged, &stages->calls.call[c]);
    if (error == 0)
        error = expanded_phases(out, stages->ntasks, &staged.expanded);
    expanded_clear(&staged.expanded);
    free(staged.node);
    return error;
}

struct mapcore_staging type_stages_staging(const struct type_stages *stages)
{
    return stages ? (struct mapcore_staging){make, stages,
                                             1 + (uint64_t)stages->library}
                  : (struct mapcore_staging){0};
}

int type_phases(struct mapcore_phases **out,
                struct type_stages **stages,
                const struct profile *profile,
                const struct expand_subject *subject,
                struct mapcore_error *err)
{
    struct mapcore_phases *phases = NULL;
    struct expanded expanded = {.err = err};
    int error = expand_as_run(NULL, &expanded, profile, subject, err);

    if (error == 0)
        error = expanded_phases(&phases, profile->ntasks, &expanded);
    if (error == 0 && stages)
        error = create(stages, &expanded, profile, subject->type);
    expanded_clear(&expanded);
    if (error < 0) {
        mapcore_phases_destroy(phases);
        return error;
    }
    *out = phases;
    return 0;
}
