/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* unit_work.c - the flows of tasks added up by unit, phase by phase */
#include "config.h"

#include "map/constrain/units.h"

#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"

#include <stdlib.h>

/* The flows of one type, and what those of a phase are put in order by. */
struct unit_flows {
    const uint32_t *unit; /* of each task */
    uint32_t nunits;
    struct mapcore_flow *flow; /* [n] */
    uint32_t *phase;           /* [n] that of each */
    size_t n;
    struct mapcore_flow *of_phase; /* [n] */
    uint32_t *from, *order;        /* [n] */
    uint32_t *first;               /* [nunits + 1] */
    size_t *at;                    /* [nunits] 1 + where the flow to it is */
};

static size_t count_flows(const struct mapcore_work_type *type)
{
    const struct mapcore_phases *messages = type->messages;

    return type->phases ? type->phases->first[type->phases->n]
                        : type->graph->row[type->graph->ntasks] +
                              (messages ? messages->first[messages->n] : 0);
}

static void list(struct unit_flows *f, uint32_t phase, struct mapcore_flow flow)
{
    flow.from = f->unit[flow.from];
    flow.to = f->unit[flow.to];
    f->phase[f->n] = phase;
    f->flow[f->n++] = flow;
}

/* Of a graph all of an edge each way, and so twice what goes there, and twice
 * as many messages. */
static void list_type(struct unit_flows *f,
                      const struct mapcore_work_type *type)
{
    const struct mapcore_phases *phases = type->phases;
    const struct mapcore_phases *messages = type->messages;
    const struct mapcore_graph *graph = type->graph;

    for (size_t p = 0; phases && p < phases->n; p++)
        for (size_t k = phases->first[p]; k < phases->first[p + 1]; k++)
            list(f, (uint32_t)p, phases->flow[k]);
    if (phases)
        return;
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            list(f, 0,
                 (struct mapcore_flow){t, graph->task[k], graph->bytes[k], 0});
    for (size_t k = 0; messages && k < messages->first[messages->n]; k++)
        list(f, 0,
             (struct mapcore_flow){messages->flow[k].from, messages->flow[k].to,
                                   0, 2 * messages->flow[k].messages});
}

/* Flows begin .. end - 1 are of one phase: adds up those with the same ends,
 * and leaves the sums from `to` on, which is not behind begin. Returns where
 * they end. */
static size_t fold_phase(struct unit_flows *f,
                         size_t begin,
                         size_t end,
                         size_t to)
{
    const uint32_t phase = f->phase[begin];
    const size_t n = end - begin;

    for (size_t i = 0; i < n; i++) {
        f->of_phase[i] = f->flow[begin + i];
        f->from[i] = f->of_phase[i].from;
    }
    bucket_items(f->first, f->order, f->from, (uint32_t)n, f->nunits);
    for (uint32_t u = 0; u < f->nunits; u++) {
        const size_t own = to;

        for (uint32_t i = f->first[u]; i < f->first[u + 1]; i++) {
            const struct mapcore_flow *flow = &f->of_phase[f->order[i]];
            size_t *at = &f->at[flow->to];

            if (*at > own) {
                f->flow[*at - 1].bytes += flow->bytes;
                f->flow[*at - 1].messages += flow->messages;
                continue;
            }
            f->phase[to] = phase;
            f->flow[to] = *flow;
            *at = ++to;
        }
    }
    return to;
}

static void fold_phases(struct unit_flows *f)
{
    size_t n = 0;

    for (size_t begin = 0, end; begin < f->n; begin = end) {
        for (end = begin + 1; end < f->n; end++)
            if (f->phase[end] != f->phase[begin])
                break;
        n = fold_phase(f, begin, end, n);
    }
    f->n = n;
}

static int fold_type(struct unit_work *out,
                     const struct mapcore_work_type *type,
                     const uint32_t *unit,
                     uint32_t nunits,
                     struct mapcore_error *err)
{
    const size_t i = out->work.n;
    struct arena arena = {.err = err};
    struct unit_flows f = {.unit = unit, .nunits = nunits};
    struct mapcore_phases *phases = NULL;
    struct mapcore_work_type under;
    int error = mapcore_work_type_under(&under, &phases, type, unit, err);

    if (error == 0) {
        const size_t most = count_flows(&under);

        f.flow = arena_alloc(&arena, most, sizeof(*f.flow));
        f.phase = arena_alloc(&arena, most, sizeof(*f.phase));
        f.of_phase = arena_alloc(&arena, most, sizeof(*f.of_phase));
        f.from = arena_alloc(&arena, most, sizeof(*f.from));
        f.order = arena_alloc(&arena, most, sizeof(*f.order));
        f.first = arena_alloc(&arena, (size_t)nunits + 1, sizeof(*f.first));
        f.at = arena_alloc(&arena, nunits, sizeof(*f.at));
        error = arena.error;
    }
    if (error == 0) {
        list_type(&f, &under);
        fold_phases(&f);
        error = mapcore_phases_create(&out->phases[i], nunits, f.flow, f.phase,
                                      f.n, err);
    }
    if (error == 0)
        out->work.type[out->work.n++] = (struct mapcore_work_type){
            .phases = out->phases[i],
            .scale = under.phases ? under.scale : under.scale / 2,
        };
    arena_clear(&arena);
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
                 .rates = work->rates,
                 .traffic = work->traffic},
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
