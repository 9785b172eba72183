/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_loads.c - loads of ports by phase, and what an exchange of two tasks
 * makes of the slowest of each */
#include "config.h"

#include "map/refine/phase_loads.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdlib.h>
#include <string.h>

struct phase_loads {
    const struct phase_tables *tables;
    uint32_t *host;   /* [ntasks], borrowed */
    double *load;     /* [nphases * nports] bytes */
    double *time;     /* [nphases], scaled */
    uint32_t *port;   /* [nphases] the slowest, of equals any */
    double sum;       /* of time[] */
    double *least;    /* [nphases] of a trial: what the phase takes at least */
    bool *is_touched; /* [nphases] */
    uint32_t *touched, ntouched;
};

static double *row(const struct phase_loads *loads, uint32_t phase)
{
    return loads->load + (size_t)phase * loads->tables->nports;
}

/* Of one phase, anew. */
static double slowest(uint32_t *port,
                      const struct phase_loads *loads,
                      uint32_t phase)
{
    const struct phase_tables *tables = loads->tables;
    const double *load = row(loads, phase);
    double most = 0;

    for (uint32_t p = 0; p < tables->nports; p++)
        if (load[p] * tables->inverse[p] > most) {
            most = load[p] * tables->inverse[p];
            *port = p;
        }
    return most * tables->scale[phase];
}

/* sign: 1, or -1 takes it away. */
static void carry(struct phase_loads *loads,
                  const struct phase_flow *flow,
                  double sign)
{
    const struct phase_tables *tables = loads->tables;
    const uint32_t from = loads->host[flow->from], to = loads->host[flow->to];
    const size_t pair = (size_t)from * tables->nhosts + to;
    const double bytes = sign * flow->bytes, nic = sign * flow->nic;
    double *load = row(loads, flow->phase);
    size_t k = tables->first[pair];

    if (tables->has_nics && from != to) {
        load[tables->port[k++]] += nic;
        load[tables->port[k++]] += nic;
    }
    for (; k < tables->half[pair]; k++)
        load[tables->port[k]] += bytes;
    for (; k < tables->first[pair + 1]; k++)
        load[tables->port[k]] += bytes / 2;
}

/* What the flows of a task add to the ports that they cross now. */
static void note_least(struct phase_loads *loads, uint32_t task)
{
    const struct phase_tables *tables = loads->tables;

    for (size_t i = tables->row[task]; i < tables->row[task + 1]; i++) {
        const struct phase_flow *flow = &tables->flow[tables->of_task[i]];
        const size_t pair = (size_t)loads->host[flow->from] * tables->nhosts +
                            loads->host[flow->to];
        const double *load = row(loads, flow->phase);
        double most = loads->least[flow->phase] / tables->scale[flow->phase];

        for (size_t k = tables->first[pair]; k < tables->first[pair + 1]; k++) {
            double time =
                load[tables->port[k]] * tables->inverse[tables->port[k]];

            most = time > most ? time : most;
        }
        loads->least[flow->phase] = most * tables->scale[flow->phase];
    }
}

static void move(struct phase_loads *loads, uint32_t task, uint32_t host)
{
    const struct phase_tables *tables = loads->tables;
    const uint32_t before = loads->host[task];

    for (size_t i = tables->row[task]; i < tables->row[task + 1]; i++) {
        const struct phase_flow *flow = &tables->flow[tables->of_task[i]];

        loads->host[task] = before;
        carry(loads, flow, -1);
        loads->host[task] = host;
        carry(loads, flow, 1);
        if (!loads->is_touched[flow->phase]) {
            loads->is_touched[flow->phase] = true;
            loads->touched[loads->ntouched++] = flow->phase;
        }
    }
    loads->host[task] = host;
}

/* Of those on two hosts, each to the other one. */
static void exchange(struct phase_loads *loads,
                     const uint32_t *task,
                     uint32_t n,
                     const uint32_t between[2])
{
    for (uint32_t i = 0; i < n; i++)
        move(loads, task[i], between[loads->host[task[i]] == between[0]]);
}

/* Whether the time would be below `most`: first by the ports that are surely
 * that slow, then by all. */
static bool is_below(struct phase_loads *loads,
                     const uint32_t *task,
                     uint32_t n,
                     double most)
{
    const struct phase_tables *tables = loads->tables;
    double sum = loads->sum;

    for (uint32_t i = 0; i < loads->ntouched; i++) {
        const uint32_t phase = loads->touched[i], port = loads->port[phase];

        loads->least[phase] = row(loads, phase)[port] * tables->inverse[port] *
                              tables->scale[phase];
    }
    for (uint32_t i = 0; i < n; i++)
        note_least(loads, task[i]);
    for (uint32_t i = 0; i < loads->ntouched; i++)
        sum += loads->least[loads->touched[i]] - loads->time[loads->touched[i]];
    for (uint32_t i = 0; i < loads->ntouched && sum < most; i++) {
        const uint32_t phase = loads->touched[i];
        uint32_t port = loads->port[phase];

        /* What is as slow as before has nothing slower beside it. */
        if (loads->least[phase] >= loads->time[phase])
            continue;
        sum += slowest(&port, loads, phase) - loads->least[phase];
    }
    return sum < most;
}

bool phase_loads_try_tasks(struct phase_loads *loads,
                           const uint32_t *task,
                           uint32_t n,
                           const uint32_t between[2],
                           double most)
{
    bool kept;

    loads->ntouched = 0;
    exchange(loads, task, n, between);
    kept = is_below(loads, task, n, most);
    for (uint32_t i = 0; i < loads->ntouched; i++) {
        const uint32_t phase = loads->touched[i];

        loads->is_touched[phase] = false;
        if (kept)
            loads->time[phase] = slowest(&loads->port[phase], loads, phase);
    }
    if (kept) {
        loads->sum = 0;
        for (uint32_t p = 0; p < loads->tables->nphases; p++)
            loads->sum += loads->time[p];
        return true;
    }
    loads->ntouched = 0;
    exchange(loads, task, n, between);
    for (uint32_t i = 0; i < loads->ntouched; i++)
        loads->is_touched[loads->touched[i]] = false;
    return false;
}

bool phase_loads_try(struct phase_loads *loads,
                     uint32_t a,
                     uint32_t b,
                     double most)
{
    const uint32_t task[] = {a, b};
    const uint32_t between[] = {loads->host[a], loads->host[b]};

    return phase_loads_try_tasks(loads, task, 2, between, most);
}

double phase_loads_time(const struct phase_loads *loads)
{
    return loads->sum;
}

/* 0 .. 1 */
static double uniform(struct rng *rng)
{
    return (double)(rng_next(rng) >> 11) * 0x1p-53;
}

uint32_t phase_loads_busy_task(const struct phase_loads *loads, struct rng *rng)
{
    const struct phase_tables *tables = loads->tables;
    double at = uniform(rng) * loads->sum;
    uint32_t phase = 0;
    size_t n, begin;

    while (phase + 1 < tables->nphases && at >= loads->time[phase])
        at -= loads->time[phase++];
    n = tables->phase[phase + 1] - tables->phase[phase];
    begin = n > 0 ? rng_below(rng, (uint32_t)n) : 0;
    for (size_t i = 0; i < n; i++) {
        const struct phase_flow *flow =
            &tables->flow[tables->phase[phase] + (begin + i) % n];
        const size_t pair = (size_t)loads->host[flow->from] * tables->nhosts +
                            loads->host[flow->to];

        for (size_t k = tables->first[pair]; k < tables->first[pair + 1]; k++)
            if (tables->port[k] == loads->port[phase])
                return rng_below(rng, 2) ? flow->from : flow->to;
    }
    return MAPCORE_NONE;
}

int phase_loads_create(struct phase_loads **out,
                       const struct phase_tables *tables,
                       uint32_t *host,
                       struct mapcore_error *err)
{
    const uint32_t n = tables->nphases;
    struct phase_loads *loads = array_alloc(1, sizeof(*loads), err);

    if (!loads)
        return MAPCORE_ENOMEM;
    loads->tables = tables;
    loads->host = host;
    loads->load =
        array_alloc((size_t)n * tables->nports, sizeof(*loads->load), err);
    loads->time = array_alloc(n, sizeof(*loads->time), err);
    loads->least = array_alloc(n, sizeof(*loads->least), err);
    loads->port = array_alloc(n, sizeof(*loads->port), err);
    loads->touched = array_alloc(n, sizeof(*loads->touched), err);
    loads->is_touched = array_alloc(n, sizeof(*loads->is_touched), err);
    if (!loads->load || !loads->time || !loads->least || !loads->port ||
        !loads->touched || !loads->is_touched) {
        phase_loads_destroy(loads);
        return MAPCORE_ENOMEM;
    }
    for (size_t f = 0; f < tables->phase[n]; f++)
        carry(loads, &tables->flow[f], 1);
    for (uint32_t p = 0; p < n; p++) {
        loads->time[p] = slowest(&loads->port[p], loads, p);
        loads->sum += loads->time[p];
    }
    *out = loads;
    return 0;
}

void phase_loads_destroy(struct phase_loads *loads)
{
    if (!loads)
        return;
    free(loads->load);
    free(loads->time);
    free(loads->least);
    free(loads->port);
    free(loads->touched);
    free(loads->is_touched);
    free(loads);
}
