/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_descent.c - annealing at low temperatures of the time of a workload:
 * the loads of ports by phase, and what an exchange makes of the slowest of
 * each */
#include "config.h"

#include "map/refine/phase_descent.h"

#include "graph/csr.h"

#include <math.h>
#include <string.h>

/* As a share of the time: what an exchange may cost at first, on average, and
 * in the end. On 256 tasks and tori, trees and dragonflies hotter beginnings
 * took longer for the same. */
static const double HOT = 0.004, COLD = 0.0001;
/* Gains below that are rounding. */
static const double ROUNDING = 1e-9;
enum { LOOK_EVERY = 256 /* exchanges, at the time */ };

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
    loads->ntouched = 0;
    for (uint32_t i = 0; i < n; i++)
        move(loads, task[i], between[loads->host[task[i]] == between[0]]);
    for (uint32_t i = 0; i < loads->ntouched; i++)
        loads->is_touched[loads->touched[i]] = false;
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

bool phase_loads_try(struct phase_loads *loads,
                     const uint32_t *task,
                     uint32_t n,
                     double most)
{
    const uint32_t first = loads->host[task[0]];
    uint32_t between[] = {first, first};

    for (uint32_t i = 1; i < n; i++)
        if (loads->host[task[i]] != first)
            between[1] = loads->host[task[i]];
    exchange(loads, task, n, between);
    if (!is_below(loads, task, n, most)) {
        exchange(loads, task, n, between);
        return false;
    }
    for (uint32_t i = 0; i < loads->ntouched; i++) {
        const uint32_t phase = loads->touched[i];

        loads->time[phase] = slowest(&loads->port[phase], loads, phase);
    }
    loads->sum = 0;
    for (uint32_t p = 0; p < loads->tables->nphases; p++)
        loads->sum += loads->time[p];
    return true;
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

int phase_loads_begin(struct phase_loads *out,
                      const struct phase_tables *tables,
                      uint32_t *host,
                      struct arena *arena)
{
    const size_t n = tables->nphases;

    *out = (struct phase_loads){
        .tables = tables,
        .host = host,
        .load = arena_alloc(arena, n * tables->nports, sizeof(*out->load)),
        .time = arena_alloc(arena, n, sizeof(*out->time)),
        .least = arena_alloc(arena, n, sizeof(*out->least)),
        .port = arena_alloc(arena, n, sizeof(*out->port)),
        .touched = arena_alloc(arena, n, sizeof(*out->touched)),
        .is_touched = arena_alloc(arena, n, sizeof(*out->is_touched)),
    };
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (size_t f = 0; f < tables->phase[n]; f++)
        carry(out, &tables->flow[f], 1);
    for (uint32_t p = 0; p < n; p++) {
        out->time[p] = slowest(&out->port[p], out, p);
        out->sum += out->time[p];
    }
    return 0;
}

/* A descent under way. */
struct phase_exchanges {
    const struct map_problem *problem;
    struct phase_loads loads;
    uint32_t *host;  /* [ntasks] */
    uint32_t *tasks; /* [ntasks] room for those of two hosts; NULL: hosts do not
                        move */
    struct rng *rng;
};

static bool may_move(const struct map_problem *problem, uint32_t task)
{
    return !problem->pin || problem->pin[task] == MAPCORE_NONE;
}

/* The first exchanges that gain, until there is none. */
static void run_all(bool *timed_out, struct phase_exchanges *d)
{
    const struct map_problem *problem = d->problem;
    const uint32_t n = problem->graph->ntasks;
    bool gains = true;

    while (gains) {
        gains = false;
        for (uint32_t a = 0; a < n; a++) {
            if (map_deadline_passed(&problem->deadline)) {
                *timed_out = true;
                return;
            }
            for (uint32_t b = a + 1; b < n; b++)
                if (d->host[a] != d->host[b] && may_move(problem, a) &&
                    may_move(problem, b) &&
                    phase_loads_try(&d->loads, (uint32_t[]){a, b}, 2,
                                    d->loads.sum * (1 - ROUNDING)))
                    gains = true;
        }
    }
}

/* All tasks of two hosts, if they are as many and may move; 0: they may not. */
static uint32_t list_tasks(const struct phase_exchanges *d,
                           const uint32_t between[2])
{
    uint32_t n[2] = {0, 0};

    for (uint32_t t = 0; t < d->problem->graph->ntasks; t++)
        if (d->host[t] == between[0] || d->host[t] == between[1]) {
            if (!may_move(d->problem, t))
                return 0;
            d->tasks[n[0] + n[1]] = t;
            n[d->host[t] == between[1]]++;
        }
    return n[0] == n[1] ? n[0] + n[1] : 0;
}

/* Two tasks, or, where hosts move, now and then all of their hosts. */
static bool try_one(struct phase_exchanges *d,
                    uint32_t a,
                    uint32_t b,
                    double most)
{
    const uint32_t between[] = {d->host[a], d->host[b]}, two[] = {a, b};
    uint32_t n;

    if (d->host[a] == d->host[b])
        return false;
    if (!d->tasks || rng_below(d->rng, 2))
        return may_move(d->problem, a) && may_move(d->problem, b) &&
               phase_loads_try(&d->loads, two, 2, most);
    n = list_tasks(d, between);
    return n > 0 && phase_loads_try(&d->loads, d->tasks, n, most);
}

static int run_annealing(bool *timed_out,
                         struct phase_exchanges *d,
                         uint32_t sweeps,
                         struct arena *arena)
{
    const uint32_t n = d->problem->graph->ntasks;
    const uint64_t proposals = (uint64_t)n * sweeps;
    double least = d->loads.sum;
    uint32_t *best = arena_copy(arena, d->host, n, sizeof(*best));

    if (!best)
        return MAPCORE_ENOMEM;
    for (uint64_t i = 0; i < proposals && !*timed_out; i++) {
        const double share =
            HOT * pow(COLD / HOT, (double)i / (double)proposals);
        const double now = d->loads.sum;
        const double chance =
            ((double)(rng_next(d->rng) >> 11) + 1) * 0x1p-53; /* above 0 */
        const uint32_t a = phase_loads_busy_task(&d->loads, d->rng);
        const uint32_t b = rng_below(d->rng, n);

        if (i % LOOK_EVERY == 0)
            *timed_out = map_deadline_passed(&d->problem->deadline);
        if (a == MAPCORE_NONE)
            break;
        if (!try_one(d, a, b, now * (1 - share * log(chance))))
            continue;
        if (d->loads.sum < least * (1 - ROUNDING)) {
            least = d->loads.sum;
            memcpy(best, d->host, n * sizeof(*best));
        }
    }
    memcpy(d->host, best, n * sizeof(*best));
    return 0;
}

int phase_descent_run(uint32_t *host,
                      bool *timed_out,
                      const struct phase_descent *how,
                      struct rng *rng,
                      struct mapcore_error *err)
{
    struct phase_exchanges d = {
        .problem = how->problem, .host = host, .rng = rng};
    struct arena arena = {.err = err};
    int error;

    *timed_out = false;
    if (how->moves_hosts)
        d.tasks =
            arena_alloc(&arena, how->problem->graph->ntasks, sizeof(*d.tasks));
    error = phase_loads_begin(&d.loads, how->tables, host, &arena);
    if (error == 0 && how->sweeps > 0)
        error = run_annealing(timed_out, &d, how->sweeps, &arena);
    else if (error == 0)
        run_all(timed_out, &d);
    arena_clear(&arena);
    return error;
}
