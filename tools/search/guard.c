/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guard.c - estimates what a search has found as topomap eval does */
#include "config.h"

#include "tools/search/guard.h"

#include "base/array.h"
#include "tools/inputs/graph_messages.h"

#include <stdlib.h>

static int open_types(struct guard *guard,
                      const char *profile,
                      const struct mapcore_graph *task_graph,
                      struct mapcore_error *err)
{
    struct mapcore_error why;

    if (profile &&
        graphs_open_profile_types(&guard->types, profile, &why) == 0 &&
        guard->types.is_profile) {
        /* Of what cannot be read no number and no direction is known. */
        (void)graph_messages_open(&guard->types, profile, &why);
        return 0;
    }
    graphs_clear_types(&guard->types);
    if (!(guard->rates.nic > 0) && !(guard->rates.memory > 0))
        return 0;
    return graphs_one_type(&guard->types, task_graph, err);
}

static int estimate_types(struct mapcore_estimate *out,
                          const struct guard *guard,
                          const uint32_t *host,
                          struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < guard->types.n; i++) {
        const struct mapcore_work_type type =
            graphs_work_type(&guard->types, i);

        error = mapcore_work_type_estimate(&out[i], &type, guard->alloc, host,
                                           &guard->rates, err);
    }
    return error;
}

static double add_up(const struct guard *guard,
                     const struct mapcore_estimate *types)
{
    double sum = 0;

    for (size_t i = 0; i < guard->types.n; i++)
        sum += graphs_type_seconds(&guard->types, i, types[i].time,
                                   guard->before[i].time);
    return sum;
}

/* What graphs_type_seconds says, as a factor. Types that take no time under
 * Slurm's own layout are as they were recorded, whatever the mapping. */
static int make_workload(struct guard *guard, struct mapcore_error *err)
{
    const struct graph_types *types = &guard->types;
    struct mapcore_workload *work = &guard->work;

    work->type = array_alloc(types->n, sizeof(*work->type), err);
    if (!work->type)
        return MAPCORE_ENOMEM;
    work->n = types->n;
    work->rates = guard->rates;
    for (size_t i = 0; i < types->n; i++) {
        const double before = guard->before[i].time;

        work->type[i] = graphs_work_type(types, i);
        if (types->is_profile)
            work->type[i].scale =
                before > 0 ? types->type[i].seconds / before : 0;
    }
    return 0;
}

int guard_begin(struct guard *guard,
                const struct guard_subject *subject,
                struct mapcore_error *err)
{
    double start;
    int error;

    *guard = (struct guard){.alloc = subject->alloc, .rates = subject->rates};
    if ((error = open_types(guard, subject->profile, subject->graph, err)) < 0)
        return error;
    guard->before = array_alloc(guard->types.n, sizeof(*guard->before), err);
    if (!guard->before)
        return MAPCORE_ENOMEM;
    start = tool_now();
    error = estimate_types(guard->before, guard, subject->baseline, err);
    guard->cost = tool_now() - start;
    if (error == 0)
        guard->seconds = add_up(guard, guard->before);
    return error == 0 ? make_workload(guard, err) : error;
}

int guard_compare(double out[2],
                  const struct guard *guard,
                  const struct mapcore_result *result,
                  struct mapcore_error *err)
{
    struct mapcore_estimate *types;
    int error;

    if (guard->types.n == 0) {
        out[0] = result->baseline.max_link_time;
        out[1] = result->metrics.max_link_time;
        return 0;
    }
    types = array_alloc(guard->types.n, sizeof(*types), err);
    error = types ? estimate_types(types, guard, result->mapping->host, err)
                  : MAPCORE_ENOMEM;
    if (error == 0) {
        out[0] = guard->seconds;
        out[1] = add_up(guard, types);
    }
    free(types);
    return error;
}

void guard_end(struct guard *guard)
{
    graphs_clear_types(&guard->types);
    free(guard->before);
    free(guard->work.type);
}
