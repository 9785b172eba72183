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

static bool may_move(const struct map_problem *problem, uint32_t task)
{
    return !problem->pin || problem->pin[task] == MAPCORE_NONE;
}

/* The first exchanges that gain, until there is none. */
static int run_all(uint32_t *host,
                   bool *timed_out,
                   const struct map_problem *problem,
                   struct phase_loads *loads)
{
    const uint32_t n = problem->graph->ntasks;
    bool gains = true;

    while (gains) {
        gains = false;
        for (uint32_t a = 0; a < n; a++) {
            if (map_deadline_passed(&problem->deadline)) {
                *timed_out = true;
                return 0;
            }
            for (uint32_t b = a + 1; b < n; b++)
                if (host[a] != host[b] && may_move(problem, a) &&
                    may_move(problem, b) &&
                    phase_loads_try(loads, a, b,
                                    phase_loads_time(loads) * (1 - ROUNDING)))
                    gains = true;
        }
    }
    return 0;
}

/* All tasks of two hosts, if they are as many and may move; 0: they may not. */
static uint32_t list_tasks(uint32_t *out,
                           const uint32_t *host,
                           const struct map_problem *problem,
                           const uint32_t between[2])
{
    uint32_t n[2] = {0, 0};

    for (uint32_t t = 0; t < problem->graph->ntasks; t++)
        if (host[t] == between[0] || host[t] == between[1]) {
            if (!may_move(problem, t))
                return 0;
            out[n[0] + n[1]] = t;
            n[host[t] == between[1]]++;
        }
    return n[0] == n[1] ? n[0] + n[1] : 0;
}

/* Two tasks, or, if tasks has room for them, now and then all of their hosts.
 */
static bool try_one(struct phase_loads *loads,
                    const struct map_problem *problem,
                    const uint32_t *host,
                    uint32_t *tasks,
                    uint32_t a,
                    uint32_t b,
                    struct rng *rng,
                    double most)
{
    const uint32_t between[] = {host[a], host[b]};
    uint32_t n;

    if (host[a] == host[b])
        return false;
    if (!tasks || rng_below(rng, 2))
        return may_move(problem, a) && may_move(problem, b) &&
               phase_loads_try(loads, a, b, most);
    n = list_tasks(tasks, host, problem, between);
    return n > 0 && phase_loads_try_tasks(loads, tasks, n, between, most);
}

static int run_annealing(uint32_t *host,
                         bool *timed_out,
                         const struct map_problem *problem,
                         struct phase_loads *loads,
                         uint32_t *tasks,
                         uint32_t sweeps,
                         struct rng *rng,
                         struct mapcore_error *err)
{
    const uint32_t n = problem->graph->ntasks;
    const uint64_t proposals = (uint64_t)n * sweeps;
    double least = phase_loads_time(loads);
    uint32_t *best = array_copy(host, n, sizeof(*host), err);

    if (!best)
        return MAPCORE_ENOMEM;
    for (uint64_t i = 0; i < proposals && !*timed_out; i++) {
        const double share =
            HOT * pow(COLD / HOT, (double)i / (double)proposals);
        const double now = phase_loads_time(loads);
        const double chance =
            ((double)(rng_next(rng) >> 11) + 1) * 0x1p-53; /* above 0 */
        const uint32_t a = phase_loads_busy_task(loads, rng);
        const uint32_t b = rng_below(rng, n);

        if (i % LOOK_EVERY == 0)
            *timed_out = map_deadline_passed(&problem->deadline);
        if (a == MAPCORE_NONE)
            break;
        if (!try_one(loads, problem, host, tasks, a, b, rng,
                     now * (1 - share * log(chance))))
            continue;
        if (phase_loads_time(loads) < least * (1 - ROUNDING)) {
            least = phase_loads_time(loads);
            memcpy(best, host, n * sizeof(*host));
        }
    }
    memcpy(host, best, n * sizeof(*host));
    free(best);
    return 0;
}

int phase_descent_run(uint32_t *host,
                      bool *timed_out,
                      const struct map_problem *problem,
                      const struct phase_tables *tables,
                      bool moves_hosts,
                      uint32_t sweeps,
                      struct rng *rng,
                      struct mapcore_error *err)
{
    struct phase_loads *loads = NULL;
    uint32_t *tasks =
        moves_hosts ? array_alloc(problem->graph->ntasks, sizeof(*tasks), err)
                    : NULL;
    int error = moves_hosts && !tasks
                    ? MAPCORE_ENOMEM
                    : phase_loads_create(&loads, tables, host, err);

    *timed_out = false;
    if (error == 0)
        error = sweeps > 0 ? run_annealing(host, timed_out, problem, loads,
                                           tasks, sweeps, rng, err)
                           : run_all(host, timed_out, problem, loads);
    phase_loads_destroy(loads);
    free(tasks);
    return error;
}
