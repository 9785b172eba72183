/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guard.c - estimates what a search has found as topomap eval does */
#include "config.h"

#include "tools/search/guard.h"

#include "base/array.h"
#include "tools/inputs/graph_order.h"
#include "tools/inputs/graphs_scale.h"
#include "tools/site/site.h"

#include <stdlib.h>

static int open_types(struct guard *guard,
                      const char *profile,
                      const struct mapcore_graph *task_graph)
{
    if (profile &&
        graphs_open_profile_types(&guard->types, profile, NULL) == 0 &&
        guard->types.is_profile) {
        /* Of what cannot be read no number and no direction is known. */
        (void)graph_order_open(&guard->types, profile);
        return 0;
    }
    graphs_clear_types(&guard->types);
    if (!(guard->rates.nic > 0) && !(guard->rates.memory > 0))
        return 0;
    return graphs_one_type(&guard->types, task_graph, guard->err);
}

static int estimate_types(struct mapcore_estimate *out,
                          const struct guard *guard,
                          const struct mapcore_mapping *mapping)
{
    const struct mapcore_host_rates rates =
        mapcore_rates_by_rail(&guard->rates, guard->alloc);
    struct mapcore_places at;
    int error = mapcore_places_open(&at, guard->alloc, mapping, guard->err);

    for (size_t i = 0; error == 0 && i < guard->types.n; i++) {
        const struct mapcore_work_type type =
            graphs_work_type(&guard->types, i);

        error = mapcore_work_type_estimate(&out[i], &type, at.alloc, at.host,
                                           &rates, guard->err);
    }
    mapcore_places_close(&at);
    return error;
}

static double add_up(const struct guard *guard,
                     const struct mapcore_estimate *types)
{
    double sum = 0;

    for (size_t i = 0; i < guard->types.n; i++)
        sum += graphs_scale_seconds(&guard->types, i, types[i].time);
    return sum;
}

static int make_workload(struct guard *guard, double share)
{
    const struct graph_types *types = &guard->types;
    struct mapcore_workload *work = &guard->work;
    double seconds = 0, traffic = 0;

    work->type = array_alloc(types->n, sizeof(*work->type), guard->err);
    if (!work->type)
        return MAPCORE_ENOMEM;
    work->n = types->n;
    work->rates = guard->rates;
    for (size_t i = 0; i < types->n; i++) {
        work->type[i] = graphs_work_type(types, i);
        seconds += work->type[i].scale * guard->before[i].time;
        traffic += work->type[i].scale * guard->before[i].traffic;
    }
    work->traffic = traffic > 0 ? share * seconds / traffic : 0;
    return 0;
}

/* The types of a profile take as long as was recorded. */
static int settle_scales(struct guard *guard)
{
    const bool in_seconds =
        site_rates_unit(&guard->rates, mapcore_alloc_topo(guard->alloc)) ==
        QUANTITY_SECONDS;
    double *block = array_alloc(guard->types.n, sizeof(*block), guard->err);
    double needed = 0, recorded = 0;

    if (!block)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < guard->types.n; i++)
        needed += block[i] = guard->before[i].time;
    graphs_scale(
        &guard->types, block,
        &(struct graphs_scaling){
            in_seconds, mapcore_message_costs_known(&guard->rates.message)});
    free(block);
    for (size_t i = 0; i < guard->types.n; i++)
        recorded += guard->types.type[i].seconds;
    if (guard->types.is_profile && in_seconds && recorded > 0)
        guard->links_share = needed / recorded;
    return 0;
}

int guard_begin(struct guard *guard,
                const struct guard_subject *subject,
                struct mapcore_error *err)
{
    struct mapcore_mapping *own = NULL;
    double start;
    int error;

    *guard = (struct guard){.err = err,
                            .alloc = subject->alloc,
                            .rates = subject->rates,
                            .links_share = -1};
    if ((error = open_types(guard, subject->profile, subject->graph)) < 0)
        return error;
    guard->rates = graphs_rates(&guard->types, &subject->rates);
    guard->before = array_alloc(guard->types.n, sizeof(*guard->before), err);
    if (!guard->before)
        return MAPCORE_ENOMEM;
    error = mapcore_mapping_create(&own, subject->alloc,
                                   mapcore_graph_ntasks(subject->graph),
                                   subject->baseline, NULL, err);
    start = tool_now();
    if (error == 0)
        error = estimate_types(guard->before, guard, own);
    mapcore_mapping_destroy(own);
    guard->cost = tool_now() - start;
    if (error < 0 || (error = settle_scales(guard)) < 0)
        return error;
    guard->seconds = add_up(guard, guard->before);
    return make_workload(guard, subject->traffic);
}

int guard_compare(double out[2],
                  const struct guard *guard,
                  const struct mapcore_result *result)
{
    struct mapcore_estimate *types;
    int error;

    if (guard->types.n == 0) {
        out[0] = result->baseline.max_link_time;
        out[1] = result->metrics.max_link_time;
        return 0;
    }
    types = array_alloc(guard->types.n, sizeof(*types), guard->err);
    error =
        types ? estimate_types(types, guard, result->mapping) : MAPCORE_ENOMEM;
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
