/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unit_work.c - the flows of tasks added up by unit, phase by phase */
#include "config.h"

#include "map/constrain/unit_work.h"

#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"

#include <stdlib.h>

/* The flows of one type; phase: that of each. */
struct unit_flows {
    struct mapcore_flow *flow;
    uint32_t *phase;
    size_t n;
};

static size_t count_flows(const struct mapcore_work_type *type)
{
    const struct mapcore_phases *messages = type->messages;

    return type->phases ? type->phases->first[type->phases->n]
                        : type->graph->row[type->graph->ntasks] +
                              (messages ? messages->first[messages->n] : 0);
}

static void list_phases(struct unit_flows *out,
                        const struct mapcore_phases *phases,
                        const uint32_t *unit)
{
    for (size_t p = 0; p < phases->n; p++)
        for (size_t k = phases->first[p]; k < phases->first[p + 1]; k++) {
            const struct mapcore_flow *flow = &phases->flow[k];

            out->phase[out->n] = (uint32_t)p;
            out->flow[out->n++] = (struct mapcore_flow){
                unit[flow->from], unit[flow->to], flow->bytes, flow->messages};
        }
}

/* All of an edge each way, and so twice what goes there. */
static void list_edges(struct unit_flows *out,
                       const struct mapcore_graph *graph,
                       const uint32_t *unit)
{
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            out->phase[out->n] = 0;
            out->flow[out->n++] = (struct mapcore_flow){
                unit[t], unit[graph->task[k]], graph->bytes[k], 0};
        }
}

/* Twice as many, too. */
static void list_messages(struct unit_flows *out,
                          const struct mapcore_phases *messages,
                          const uint32_t *unit)
{
    for (size_t k = 0; messages && k < messages->first[messages->n]; k++) {
        const struct mapcore_flow *flow = &messages->flow[k];

        out->phase[out->n] = 0;
        out->flow[out->n++] = (struct mapcore_flow){
            unit[flow->from], unit[flow->to], 0, 2 * flow->messages};
    }
}

/* What flows of a phase are put in order by. */
struct fold {
    struct mapcore_flow *flow; /* [most of a type] */
    uint32_t *from, *order;    /* [most of a type] */
    uint32_t *first;           /* [nunits + 1] */
    size_t *at;                /* [nunits] 1 + where the flow to it is */
    uint32_t nunits;
};

static int open_fold(struct fold *fold,
                     size_t most,
                     uint32_t nunits,
                     struct mapcore_error *err)
{
    *fold = (struct fold){
        .flow = array_alloc(most, sizeof(*fold->flow), err),
        .from = array_alloc(most, sizeof(*fold->from), err),
        .order = array_alloc(most, sizeof(*fold->order), err),
        .first = array_alloc((size_t)nunits + 1, sizeof(*fold->first), err),
        .at = array_alloc(nunits, sizeof(*fold->at), err),
        .nunits = nunits,
    };
    return fold->flow && fold->from && fold->order && fold->first && fold->at
               ? 0
               : MAPCORE_ENOMEM;
}

static void close_fold(struct fold *fold)
{
    free(fold->flow);
    free(fold->from);
    free(fold->order);
    free(fold->first);
    free(fold->at);
}

/* Flows begin .. end - 1 are of one phase: adds up those with the same ends,
 * and leaves the sums from `to` on, which is not behind begin. Returns where
 * they end. */
static size_t fold_phase(struct fold *fold,
                         struct unit_flows *flows,
                         size_t begin,
                         size_t end,
                         size_t to)
{
    const uint32_t phase = flows->phase[begin];
    const size_t n = end - begin;

    for (size_t i = 0; i < n; i++) {
        fold->flow[i] = flows->flow[begin + i];
        fold->from[i] = fold->flow[i].from;
    }
    bucket_items(fold->first, fold->order, fold->from, (uint32_t)n,
                 fold->nunits);
    for (uint32_t u = 0; u < fold->nunits; u++) {
        const size_t own = to;

        for (uint32_t i = fold->first[u]; i < fold->first[u + 1]; i++) {
            const struct mapcore_flow *flow = &fold->flow[fold->order[i]];
            size_t *at = &fold->at[flow->to];

            if (*at > own) {
                flows->flow[*at - 1].bytes += flow->bytes;
                flows->flow[*at - 1].messages += flow->messages;
                continue;
            }
            flows->phase[to] = phase;
            flows->flow[to] = *flow;
            *at = ++to;
        }
    }
    return to;
}

static void fold_phases(struct fold *fold, struct unit_flows *flows)
{
    size_t n = 0;

    for (size_t begin = 0, end; begin < flows->n; begin = end) {
        for (end = begin + 1; end < flows->n; end++)
            if (flows->phase[end] != flows->phase[begin])
                break;
        n = fold_phase(fold, flows, begin, end, n);
    }
    for (uint32_t u = 0; u < fold->nunits; u++)
        fold->at[u] = 0;
    flows->n = n;
}

static int add_type(struct unit_work *out,
                    const struct mapcore_work_type *type,
                    struct fold *fold,
                    struct unit_flows *flows,
                    const uint32_t *unit,
                    struct mapcore_error *err)
{
    const size_t i = out->work.n;
    int error;

    flows->n = 0;
    if (type->phases)
        list_phases(flows, type->phases, unit);
    else {
        list_edges(flows, type->graph, unit);
        list_messages(flows, type->messages, unit);
    }
    fold_phases(fold, flows);
    error = mapcore_phases_create(&out->phases[i], fold->nunits, flows->flow,
                                  flows->phase, flows->n, err);
    if (error < 0)
        return error;
    out->work.type[out->work.n++] = (struct mapcore_work_type){
        .phases = out->phases[i],
        .scale = type->phases ? type->scale : type->scale / 2,
    };
    return 0;
}

static int fold_type(struct unit_work *out,
                     const struct mapcore_work_type *type,
                     const uint32_t *unit,
                     uint32_t nunits,
                     struct mapcore_error *err)
{
    struct mapcore_phases *phases = NULL;
    struct mapcore_work_type under;
    struct unit_flows flows = {0};
    struct fold fold = {0};
    int error = mapcore_work_type_under(&under, &phases, type, unit, err);

    if (error == 0) {
        const size_t most = count_flows(&under);

        error = open_fold(&fold, most, nunits, err);
        flows.flow = array_alloc(most, sizeof(*flows.flow), err);
        flows.phase = array_alloc(most, sizeof(*flows.phase), err);
        if (!flows.flow || !flows.phase)
            error = MAPCORE_ENOMEM;
    }
    if (error == 0)
        error = add_type(out, &under, &fold, &flows, unit, err);
    free(flows.flow);
    free(flows.phase);
    close_fold(&fold);
    mapcore_phases_destroy(phases);
    return error;
}

int unit_work_create(struct unit_work *out,
                     const struct mapcore_workload *work,
                     const uint32_t *unit,
                     uint32_t nunits,
                     struct mapcore_error *err)
{
    int error = 0;

    *out = (struct unit_work){
        .work = {.type = array_alloc(work->n, sizeof(*out->work.type), err),
                 .rates = work->rates},
        .phases = array_alloc(work->n, sizeof(*out->phases), err),
    };
    /* Other costs are those of single pairs and tasks. */
    out->work.rates.message =
        (struct mapcore_message_costs){.nic = work->rates.message.nic};
    if (!out->work.type || !out->phases)
        error = MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < work->n; i++)
        error = fold_type(out, &work->type[i], unit, nunits, err);
    return error;
}

void unit_work_clear(struct unit_work *work)
{
    for (size_t i = 0; i < work->work.n; i++)
        mapcore_phases_destroy(work->phases[i]);
    free(work->work.type);
    free(work->phases);
    *work = (struct unit_work){0};
}
