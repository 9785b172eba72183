/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_descent.c - annealing at low temperatures of the time of a workload */
#include "config.h"

#include "map/refine/phase_descent.h"

#include "base/array.h"
#include "graph/csr.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* As a share of the time: what an exchange may cost at first, on average, and
 * in the end. On 256 tasks and tori, trees and dragonflies hotter beginnings
 * took longer for the same. */
static const double HOT = 0.004, COLD = 0.0001;
/* Gains below that are rounding. */
static const double ROUNDING = 1e-9;
enum { LOOK_EVERY = 256 /* exchanges, at the time */ };

/* A descent under way. */
struct phase_exchanges {
    const struct map_problem *problem;
    struct phase_loads *loads;
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
static void run_all(bool *timed_out, const struct phase_exchanges *d)
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
                    phase_loads_try(d->loads, a, b,
                                    phase_loads_time(d->loads) *
                                        (1 - ROUNDING)))
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
static bool try_one(const struct phase_exchanges *d,
                    uint32_t a,
                    uint32_t b,
                    double most)
{
    const uint32_t between[] = {d->host[a], d->host[b]};
    uint32_t n;

    if (d->host[a] == d->host[b])
        return false;
    if (!d->tasks || rng_below(d->rng, 2))
        return may_move(d->problem, a) && may_move(d->problem, b) &&
               phase_loads_try(d->loads, a, b, most);
    n = list_tasks(d, between);
    return n > 0 && phase_loads_try_tasks(d->loads, d->tasks, n, between, most);
}

static int run_annealing(bool *timed_out,
                         const struct phase_exchanges *d,
                         uint32_t sweeps,
                         struct mapcore_error *err)
{
    const uint32_t n = d->problem->graph->ntasks;
    const uint64_t proposals = (uint64_t)n * sweeps;
    double least = phase_loads_time(d->loads);
    uint32_t *best = array_copy(d->host, n, sizeof(*best), err);

    if (!best)
        return MAPCORE_ENOMEM;
    for (uint64_t i = 0; i < proposals && !*timed_out; i++) {
        const double share =
            HOT * pow(COLD / HOT, (double)i / (double)proposals);
        const double now = phase_loads_time(d->loads);
        const double chance =
            ((double)(rng_next(d->rng) >> 11) + 1) * 0x1p-53; /* above 0 */
        const uint32_t a = phase_loads_busy_task(d->loads, d->rng);
        const uint32_t b = rng_below(d->rng, n);

        if (i % LOOK_EVERY == 0)
            *timed_out = map_deadline_passed(&d->problem->deadline);
        if (a == MAPCORE_NONE)
            break;
        if (!try_one(d, a, b, now * (1 - share * log(chance))))
            continue;
        if (phase_loads_time(d->loads) < least * (1 - ROUNDING)) {
            least = phase_loads_time(d->loads);
            memcpy(best, d->host, n * sizeof(*best));
        }
    }
    memcpy(d->host, best, n * sizeof(*best));
    free(best);
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
    int error;

    *timed_out = false;
    if (how->moves_hosts) {
        d.tasks =
            array_alloc(how->problem->graph->ntasks, sizeof(*d.tasks), err);
        if (!d.tasks)
            return MAPCORE_ENOMEM;
    }
    error = phase_loads_create(&d.loads, how->tables, host, err);
    if (error == 0 && how->sweeps > 0)
        error = run_annealing(timed_out, &d, how->sweeps, err);
    else if (error == 0)
        run_all(timed_out, &d);
    phase_loads_destroy(d.loads);
    free(d.tasks);
    return error;
}
