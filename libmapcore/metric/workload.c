/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* workload.c - the sum over the types of a program */
#include "config.h"

#include "metric/workload.h"

#include "base/error_set.h"
#include "graph/csr.h"
#include "metric/estimate_check.h"
#include "metric/message_use.h"

static void add_flows(struct message_use *use,
                      const struct mapcore_phases *phases,
                      size_t phase)
{
    for (size_t k = phases->first[phase]; k < phases->first[phase + 1]; k++)
        message_use_add(use, phases->flow[k].from, phases->flow[k].to,
                        (double)phases->flow[k].bytes,
                        phases->flow[k].messages);
}

/* Each edge is there from both ends, of which each sends a half. */
static void add_graph(struct message_use *use,
                      const struct mapcore_graph *graph,
                      const struct mapcore_phases *messages)
{
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            message_use_add(use, t, graph->task[k], (double)graph->bytes[k] / 2,
                            0);
    for (size_t k = 0; k < messages->first[messages->n]; k++)
        message_use_add(use, messages->flow[k].from, messages->flow[k].to, 0,
                        messages->flow[k].messages);
}

int mapcore_work_type_messages(struct mapcore_message_time *out,
                               const struct mapcore_work_type *type,
                               size_t phase,
                               const struct mapcore_alloc *alloc,
                               const uint32_t *host,
                               const struct mapcore_host_rates *rates,
                               struct mapcore_error *err)
{
    const uint32_t ntasks =
        type->phases ? type->phases->ntasks : type->graph->ntasks;
    struct message_use *use = NULL;
    int error;

    *out = (struct mapcore_message_time){0};
    if (!type->phases && !type->messages)
        return 0;
    if (!type->phases && type->messages->ntasks != ntasks)
        return error_set(err, MAPCORE_EINVAL, "messages of %u tasks, not of %u",
                         type->messages->ntasks, ntasks);
    error = estimate_check(alloc, ntasks, host, rates->nic, rates->memory, err);
    if (error == 0)
        error = message_use_open(&use, alloc, ntasks, host, rates, err);
    if (error < 0 || !use)
        return error;
    if (type->phases)
        add_flows(use, type->phases, phase);
    else
        add_graph(use, type->graph, type->messages);
    *out = message_use_end(use);
    message_use_close(use);
    return 0;
}

int mapcore_work_type_under(struct mapcore_work_type *out,
                            struct mapcore_phases **phases,
                            const struct mapcore_work_type *type,
                            const uint32_t *host,
                            struct mapcore_error *err)
{
    int error;

    *phases = NULL;
    *out = *type;
    if (!type->phases || !type->staging.make)
        return 0;
    error = type->staging.make(phases, type->staging.of, host, err);
    if (error < 0)
        return error;
    out->phases = *phases;
    out->staging = (struct mapcore_staging){0};
    return 0;
}

static int estimate_staged(struct mapcore_estimate *out,
                           const struct mapcore_work_type *type,
                           const struct mapcore_alloc *alloc,
                           const uint32_t *host,
                           const struct mapcore_host_rates *rates,
                           struct mapcore_error *err)
{
    struct mapcore_phases *phases = NULL;
    struct mapcore_work_type under;
    int error = estimate_check(alloc, type->phases->ntasks, host, rates->nic,
                               rates->memory, err);

    if (error == 0)
        error = mapcore_work_type_under(&under, &phases, type, host, err);
    if (error == 0)
        error =
            mapcore_estimate_phases(out, under.phases, alloc, host, rates, err);
    mapcore_phases_destroy(phases);
    return error;
}

int mapcore_work_type_estimate(struct mapcore_estimate *out,
                               const struct mapcore_work_type *type,
                               const struct mapcore_alloc *alloc,
                               const uint32_t *host,
                               const struct mapcore_host_rates *rates,
                               struct mapcore_error *err)
{
    struct mapcore_message_time time;
    int error;

    if (type->phases && type->staging.make)
        return estimate_staged(out, type, alloc, host, rates, err);
    if (type->phases)
        return mapcore_estimate_phases(out, type->phases, alloc, host, rates,
                                       err);
    error = mapcore_estimate_compute(out, type->graph, alloc, host, rates, err);
    if (error == 0 && type->messages)
        error =
            mapcore_work_type_messages(&time, type, 0, alloc, host, rates, err);
    if (error == 0 && type->messages)
        message_time_join(out, &time);
    return error;
}

int mapcore_workload_time(double *out,
                          const struct mapcore_workload *work,
                          const struct mapcore_alloc *alloc,
                          const uint32_t *host,
                          struct mapcore_error *err)
{
    double sum = 0;

    for (size_t i = 0; i < work->n; i++) {
        struct mapcore_estimate estimate;
        int error = mapcore_work_type_estimate(&estimate, &work->type[i], alloc,
                                               host, &work->rates, err);

        if (error < 0)
            return error;
        sum += work->type[i].scale * estimate.time;
    }
    *out = sum;
    return 0;
}

bool mapcore_workload_counts_messages(const struct mapcore_workload *work)
{
    bool counts = false;

    for (size_t i = 0; i < work->n; i++)
        counts = counts || work->type[i].phases || work->type[i].messages;
    return counts && mapcore_message_costs_known(&work->rates.message);
}
