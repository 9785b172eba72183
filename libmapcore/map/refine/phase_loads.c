/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_loads.c - the bytes that each port carries in each phase while tasks
 * move, and their energy */
#include "config.h"

#include "map/refine/phase_descent.h"

#include <math.h>

/* x to the power of 2^doublings. */
static inline double raise(double x, uint32_t doublings)
{
    for (uint32_t i = 0; i < doublings; i++)
        x *= x;
    return x;
}

/* Its inverse. */
static inline double lower(double x, uint32_t doublings)
{
    for (uint32_t i = 0; i < doublings; i++)
        x = sqrt(x);
    return x;
}

static void set_energy(struct phase_loads *loads, uint32_t phase)
{
    const double slowest = loads->power[phase] > 0
                               ? lower(loads->power[phase], loads->doublings)
                               : 0;
    const double energy = loads->tables->scale[phase] *
                          (loads->reference[phase] * slowest +
                           loads->tables->traffic * loads->busy[phase]);

    loads->energy += energy - loads->part[phase];
    loads->part[phase] = energy;
}

void phase_loads_refresh(struct phase_loads *loads)
{
    const struct phase_tables *tables = loads->tables;

    for (uint32_t p = 0; p < tables->nphases; p++) {
        const struct phase_load *load =
            loads->load + (size_t)p * tables->nports;
        double most = 0, power = 0, busy = 0;

        for (uint32_t i = 0; i < tables->nports; i++) {
            const double time = load[i].bytes * tables->inverse[i];

            most = fmax(most, time);
            busy += i < tables->nlinks ? time : 0;
        }
        for (uint32_t i = 0; most > 0 && i < tables->nports; i++)
            power += raise(load[i].bytes * tables->inverse[i] / most,
                           loads->doublings);
        loads->reference[p] = most > 0 ? most : 1;
        loads->power[p] = power;
        loads->busy[p] = busy;
        set_energy(loads, p);
    }
    loads->energy = 0;
    for (uint32_t p = 0; p < tables->nphases; p++)
        loads->energy += loads->part[p];
}

static inline void touch(struct phase_loads *loads,
                         struct phase_load *load,
                         uint32_t phase,
                         uint32_t port,
                         double bytes)
{
    if (load->change != loads->change) {
        load->change = loads->change;
        load->before = load->bytes;
        loads->touched[loads->ntouched++] =
            (struct phase_touched){load, phase, port};
    }
    load->bytes += bytes;
}

/* Takes bytes from the ports of one part of a route to those of another one,
 * which often begin or end alike: these stay as they are. */
static inline void shift(struct phase_loads *loads,
                         const struct phase_flow *flow,
                         struct phase_part before,
                         struct phase_part after,
                         double bytes)
{
    const uint32_t phase = flow->phase;
    struct phase_load *load =
        loads->load + (size_t)phase * loads->tables->nports;

    for (; before.port < before.end && after.port < after.end &&
           *before.port == *after.port;
         before.port++)
        after.port++;
    for (; before.port < before.end && after.port < after.end &&
           before.end[-1] == after.end[-1];
         before.end--)
        after.end--;
    for (; before.port < before.end; before.port++)
        touch(loads, load + *before.port, phase, *before.port, -bytes);
    for (; after.port < after.end; after.port++)
        touch(loads, load + *after.port, phase, *after.port, bytes);
}

/* A flow from the route of one pair of hosts to that of another. */
static void reroute(struct phase_loads *loads,
                    const struct phase_flow *flow,
                    const struct phase_route *before,
                    const struct phase_route *after)
{
    if (loads->tables->has_nics)
        shift(loads, flow, before->nics, after->nics, flow->nic);
    shift(loads, flow, before->whole, after->whole, flow->bytes);
    shift(loads, flow, before->half, after->half, flow->bytes / 2);
}

static struct phase_route route_of(const struct phase_loads *loads,
                                   const struct phase_flow *flow)
{
    const struct phase_tables *tables = loads->tables;
    const uint32_t from = loads->host[flow->from], to = loads->host[flow->to];
    const size_t pair = (size_t)from * tables->nhosts + to;
    const uint32_t *port = tables->port + tables->first[pair];
    const uint32_t *whole = port + (tables->has_nics && from != to ? 2 : 0);
    const uint32_t *half = tables->port + tables->half[pair];

    return (struct phase_route){
        {port, whole},
        {whole, half},
        {half, tables->port + tables->first[pair + 1]},
    };
}

void phase_loads_move(struct phase_loads *loads, uint32_t task, uint32_t host)
{
    const struct phase_tables *tables = loads->tables;
    const uint32_t from = loads->host[task];

    for (size_t i = tables->row[task]; i < tables->row[task + 1]; i++) {
        const struct phase_flow *flow = &tables->flow[tables->end[i].flow];
        const struct phase_route before = route_of(loads, flow);
        struct phase_route after;

        loads->host[task] = host;
        after = route_of(loads, flow);
        reroute(loads, flow, &before, &after);
        loads->host[task] = from;
    }
    loads->host[task] = host;
    loads->ncarried += tables->row[task + 1] - tables->row[task];
    loads->moved[loads->nmoved++] = (struct phase_moved){task, from};
}

static bool are_alike(const struct phase_flow *a, const struct phase_flow *b)
{
    return a->bytes <= b->bytes && a->bytes >= b->bytes && a->nic <= b->nic &&
           a->nic >= b->nic;
}

static struct phase_differing list(const struct phase_loads *loads,
                                   const struct phase_end *end)
{
    const struct phase_flow *flow = &loads->tables->flow[end->flow];

    return (struct phase_differing){flow, route_of(loads, flow)};
}

/* Flows of an exchange that do not stay, each once. */
static size_t list_differing(struct phase_loads *loads, uint32_t a, uint32_t b)
{
    const struct phase_tables *tables = loads->tables;
    const struct phase_end *of_a = tables->end + tables->row[a];
    const struct phase_end *of_b = tables->end + tables->row[b];
    const struct phase_end *end_a = tables->end + tables->row[a + 1];
    const struct phase_end *end_b = tables->end + tables->row[b + 1];
    size_t n = 0;

    while (of_a < end_a || of_b < end_b) {
        const uint64_t key_a = of_a < end_a ? of_a->key : UINT64_MAX;
        const uint64_t key_b = of_b < end_b ? of_b->key : UINT64_MAX;
        const bool are_same =
            key_a == key_b &&
            are_alike(&tables->flow[of_a->flow], &tables->flow[of_b->flow]);

        if (key_a <= key_b && !are_same)
            loads->differing[n++] = list(loads, of_a);
        if (key_b <= key_a && !are_same && of_b->other != a)
            loads->differing[n++] = list(loads, of_b);
        of_a += key_a <= key_b;
        of_b += key_b <= key_a;
    }
    return n;
}

void phase_loads_exchange(struct phase_loads *loads, uint32_t a, uint32_t b)
{
    const uint32_t from = loads->host[a], to = loads->host[b];
    const size_t n = list_differing(loads, a, b);

    loads->host[a] = to;
    loads->host[b] = from;
    for (size_t i = 0; i < n; i++) {
        const struct phase_differing *differing = &loads->differing[i];
        const struct phase_route after = route_of(loads, differing->flow);

        reroute(loads, differing->flow, &differing->before, &after);
    }
    loads->ncarried += n;
    loads->moved[loads->nmoved++] = (struct phase_moved){a, from};
    loads->moved[loads->nmoved++] = (struct phase_moved){b, to};
}

void phase_loads_settle(struct phase_loads *loads)
{
    const struct phase_tables *tables = loads->tables;

    loads->before = loads->energy;
    for (size_t i = 0; i < loads->ntouched; i++) {
        const struct phase_touched *touched = &loads->touched[i];
        const uint32_t phase = touched->phase;
        const double inverse =
            tables->inverse[touched->port] / loads->reference[phase];

        if (!loads->is_changed[phase]) {
            loads->is_changed[phase] = true;
            loads->changed[loads->nchanged++] =
                (struct phase_changed){phase, loads->power[phase],
                                       loads->busy[phase], loads->part[phase]};
        }
        if (touched->port < tables->nlinks)
            loads->busy[phase] +=
                (touched->load->bytes - touched->load->before) *
                tables->inverse[touched->port];
        loads->power[phase] +=
            raise(touched->load->bytes * inverse, loads->doublings) -
            raise(touched->load->before * inverse, loads->doublings);
    }
    for (uint32_t i = 0; i < loads->nchanged; i++)
        set_energy(loads, loads->changed[i].phase);
}

void phase_loads_end(struct phase_loads *loads, bool kept)
{
    for (uint32_t i = 0; i < loads->nchanged; i++) {
        const struct phase_changed *changed = &loads->changed[i];

        loads->is_changed[changed->phase] = false;
        if (!kept) {
            loads->power[changed->phase] = changed->power;
            loads->busy[changed->phase] = changed->busy;
            loads->part[changed->phase] = changed->part;
        }
    }
    for (size_t i = 0; !kept && i < loads->ntouched; i++)
        loads->touched[i].load->bytes = loads->touched[i].load->before;
    for (uint32_t i = loads->nmoved; !kept && i-- > 0;)
        loads->host[loads->moved[i].task] = loads->moved[i].from;
    if (!kept)
        loads->energy = loads->before;
    loads->change++;
    loads->ntouched = loads->ncarried = 0;
    loads->nchanged = loads->nmoved = 0;
}

double phase_loads_time(const struct phase_loads *loads, double most)
{
    const struct phase_tables *tables = loads->tables;
    double sum = 0;

    for (uint32_t p = 0; p < tables->nphases && sum < most; p++) {
        const struct phase_load *load =
            loads->load + (size_t)p * tables->nports;
        double slowest = 0;

        for (uint32_t i = 0; i < tables->nports; i++)
            slowest = fmax(slowest, load[i].bytes * tables->inverse[i]);
        sum += (slowest + tables->traffic * loads->busy[p]) * tables->scale[p];
    }
    return sum < most ? sum : INFINITY;
}

int phase_loads_begin(struct phase_loads *out,
                      const struct phase_tables *tables,
                      uint32_t *host,
                      struct arena *arena)
{
    const size_t n = tables->nphases, nloads = n * tables->nports;

    *out = (struct phase_loads){
        .tables = tables,
        .host = host,
        .load = arena_alloc(arena, nloads, sizeof(*out->load)),
        .power = arena_alloc(arena, n, sizeof(*out->power)),
        .reference = arena_alloc(arena, n, sizeof(*out->reference)),
        .busy = arena_alloc(arena, n, sizeof(*out->busy)),
        .part = arena_alloc(arena, n, sizeof(*out->part)),
        .change = 1,
        .doublings = 3,
        .touched = arena_alloc(arena, nloads, sizeof(*out->touched)),
        .differing =
            arena_alloc(arena, 2 * tables->most_ends, sizeof(*out->differing)),
        .is_changed = arena_alloc(arena, n, sizeof(*out->is_changed)),
        .changed = arena_alloc(arena, n, sizeof(*out->changed)),
        .moved =
            arena_alloc(arena, 2 * (size_t)tables->ntasks, sizeof(*out->moved)),
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (size_t f = 0; f < tables->phase[n]; f++) {
        const struct phase_route after = route_of(out, &tables->flow[f]);

        reroute(out, &tables->flow[f], &(struct phase_route){0}, &after);
    }
    phase_loads_end(out, true);
    phase_loads_refresh(out);
    return 0;
}
