/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_descent.c - annealing of the time of a workload */
#include "config.h"

#include "map/refine/phase_descent.h"

#include "graph/csr.h"
#include "metric/metric.h"

#include <math.h>
#include <string.h>

enum {
    LOOK_EVERY = 256, /* proposals, at the time */
    COOL_EVERY = 32,
    PROPOSAL_WORK = 8,     /* of one, besides the flows that it carries */
    REFRESH_EVERY = 16384, /* sums of powers lose digits in the long run */
    HOSTS_EVERY = 8,       /* exchanges of hosts; where they must, 2 */
};
/* So near the least energy seen, as a share, the time is looked at itself. */
static const double NEAR = 0.05;
static const double ROUNDING = 1e-9;

/* Where tasks are, and the change at hand. */
struct phase_places {
    const struct phase_descent *how;
    struct phase_loads loads;
    uint32_t *begin;    /* [nhosts + 1], places of a host */
    uint32_t *occupant; /* [nplaces], or MAPCORE_NONE */
    uint32_t *place;    /* [ntasks]; of a pinned task MAPCORE_NONE */
    uint32_t nplaces;
    bool has_groups; /* some host has several places */
    struct rng *rng;
};

static bool is_pinned(const struct map_problem *problem, uint32_t task)
{
    return problem->pin && problem->pin[task] != MAPCORE_NONE;
}

/* No host needs more places than there are tasks. */
static int make_places(struct phase_places *d, struct arena *arena)
{
    const struct map_problem *problem = d->how->problem;
    const uint32_t *host = d->loads.host, ntasks = problem->graph->ntasks;
    const uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc);

    d->begin = arena_alloc(arena, (size_t)nhosts + 2, sizeof(*d->begin));
    d->place = arena_alloc(arena, ntasks, sizeof(*d->place));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t h = 0; h < nhosts; h++) {
        uint32_t slots = mapcore_alloc_slots(problem->alloc, h);

        d->begin[h + 1] = slots < ntasks ? slots : ntasks;
    }
    for (uint32_t t = 0; t < ntasks; t++)
        d->begin[host[t] + 1] -= is_pinned(problem, t);
    for (uint32_t h = 0; h < nhosts; h++) {
        d->has_groups |= d->begin[h + 1] > 1;
        d->begin[h + 1] += d->begin[h];
    }
    d->nplaces = d->begin[nhosts];
    d->occupant = arena_alloc(arena, d->nplaces, sizeof(*d->occupant));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (uint32_t p = 0; p < d->nplaces; p++)
        d->occupant[p] = MAPCORE_NONE;
    for (uint32_t t = 0; t < ntasks; t++) {
        uint32_t place = d->begin[host[t]];

        d->place[t] = MAPCORE_NONE;
        if (is_pinned(problem, t))
            continue;
        while (d->occupant[place] != MAPCORE_NONE)
            place++;
        d->place[t] = place;
        d->occupant[place] = t;
    }
    return 0;
}

/* The tasks at two places of different hosts change them. */
static void exchange(struct phase_places *d, uint32_t p, uint32_t q)
{
    const uint32_t a = d->occupant[p], b = d->occupant[q];

    d->occupant[p] = b;
    d->occupant[q] = a;
    if (a != MAPCORE_NONE)
        d->place[a] = q;
    if (b != MAPCORE_NONE)
        d->place[b] = p;
}

static uint32_t host_of(const struct phase_places *d, uint32_t place)
{
    const uint32_t t = d->occupant[place];
    uint32_t low = 0, high = d->loads.tables->nhosts;

    if (t != MAPCORE_NONE)
        return d->loads.host[t];
    while (high - low > 1) {
        const uint32_t middle = low + (high - low) / 2;

        if (d->begin[middle] <= place)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A change: all of n places from p and from q on are exchanged. */
struct places_change {
    uint32_t p, q, n;
};

/* A place on the host of one that the task talks to, or near that. */
static uint32_t draw_near(const struct phase_places *d, uint32_t task)
{
    const struct phase_tables *tables = d->loads.tables;
    const size_t n = tables->row[task + 1] - tables->row[task];
    uint32_t host = d->loads.host[task], nplaces;

    if (n > 0) {
        const struct phase_end *end =
            &tables->end[tables->row[task] + rng_below(d->rng, (uint32_t)n)];

        host = d->loads.host[end->other];
    }
    if (host == d->loads.host[task] || rng_below(d->rng, 4) != 0)
        host = tables->near[(size_t)host * PHASE_NEAR +
                            rng_below(d->rng, PHASE_NEAR)];
    nplaces = d->begin[host + 1] - d->begin[host];
    return nplaces > 0 ? d->begin[host] + rng_below(d->rng, nplaces)
                       : rng_below(d->rng, d->nplaces);
}

/* Two tasks, or a task and a gap; now and then all of two hosts alike. */
static bool draw(struct places_change *out, const struct phase_places *d)
{
    const struct phase_tables *tables = d->loads.tables;
    const uint32_t t = rng_below(d->rng, tables->ntasks), p = d->place[t];
    uint32_t q, from, to;

    if (p == MAPCORE_NONE)
        return false;
    q = rng_below(d->rng, 4) == 0 ? rng_below(d->rng, d->nplaces)
                                  : draw_near(d, t);
    from = d->loads.host[t];
    to = host_of(d, q);
    if (from == to)
        return false;
    *out = (struct places_change){p, q, 1};
    if (!d->has_groups ||
        rng_below(d->rng, d->how->moves_hosts ? 2 : HOSTS_EVERY) != 0)
        return true;
    *out = (struct places_change){d->begin[from], d->begin[to],
                                  d->begin[from + 1] - d->begin[from]};
    return out->n == d->begin[to + 1] - d->begin[to];
}

static void apply(struct phase_places *d, const struct places_change *change)
{
    for (uint32_t i = 0; i < change->n; i++) {
        const uint32_t p = change->p + i, q = change->q + i;
        const uint32_t a = d->occupant[p], b = d->occupant[q];
        const uint32_t from = host_of(d, p), to = host_of(d, q);

        if (a != MAPCORE_NONE && b != MAPCORE_NONE)
            phase_loads_exchange(&d->loads, a, b);
        else if (a != MAPCORE_NONE)
            phase_loads_move(&d->loads, a, to);
        else if (b != MAPCORE_NONE)
            phase_loads_move(&d->loads, b, from);
        exchange(d, p, q);
    }
}

/* Above 0, below 1. */
static double uniform(struct rng *rng)
{
    return ((double)(rng_next(rng) >> 11) + 0.5) * 0x1p-53;
}

/* How far a chain is: what its temperature and the power of its norm go by. */
struct cooling {
    uint64_t proposals, work;
    double share; /* of the energy that a change may add, on average */
    uint32_t doublings;
};

/* The power rises as it cools: a high one is too rough to be hot. */
static void cool(struct cooling *at, struct phase_places *d)
{
    const struct phase_descent *how = d->how;
    const double done = (double)at->work / (double)how->work;
    const uint32_t doublings = done < 0.5 ? 0 : done < 0.8 ? 1 : 2;

    at->share = how->hot * pow(how->cold / how->hot, done);
    if (doublings == at->doublings && at->proposals % REFRESH_EVERY > 0)
        return;
    d->loads.doublings += doublings - at->doublings;
    at->doublings = doublings;
    phase_loads_refresh(&d->loads);
}

/* Asked only of what takes less time than all before. */
static bool counts(const struct phase_places *d, struct arena *arena)
{
    const struct map_problem *problem = d->how->problem;
    struct mapcore_metrics metrics;

    if (!(d->how->slowest < INFINITY))
        return true;
    arena->error = mapcore_metrics_compute(
        &metrics, problem->graph, problem->alloc, d->loads.host, arena->err);
    return arena->error == 0 && metrics.max_link_time <= d->how->slowest;
}

static int run(bool *timed_out, struct phase_places *d, struct arena *arena)
{
    const struct phase_descent *how = d->how;
    const uint32_t n = d->loads.tables->ntasks;
    struct phase_loads *loads = &d->loads;
    uint32_t *best = arena_copy(arena, loads->host, n, sizeof(*best));
    double least = how->forgets ? INFINITY : phase_loads_time(loads, INFINITY);
    double low = how->forgets ? INFINITY : loads->energy, tie = INFINITY;
    struct cooling at = {0};

    if (!best)
        return MAPCORE_ENOMEM;
    for (; at.work < how->work && !*timed_out && !arena->error;
         at.proposals++) {
        struct places_change change;
        const uint32_t before = at.doublings;
        double energy, time;

        if (at.proposals % LOOK_EVERY == 0)
            *timed_out = map_deadline_passed(&how->problem->deadline);
        if (at.proposals % COOL_EVERY == 0)
            cool(&at, d);
        if (at.doublings != before)
            low = tie = INFINITY;
        at.work += PROPOSAL_WORK;
        if (!draw(&change, d))
            continue;
        energy = loads->energy;
        apply(d, &change);
        phase_loads_settle(loads);
        at.work += loads->ncarried;
        if (loads->energy > energy &&
            loads->energy >= energy * (1 - at.share * log(uniform(d->rng)))) {
            for (uint32_t k = 0; k < change.n; k++)
                exchange(d, change.p + k, change.q + k);
            phase_loads_end(loads, false);
            continue;
        }
        phase_loads_end(loads, true);
        low = loads->energy < low ? loads->energy : low;
        if (loads->energy > low * (1 + NEAR))
            continue;
        time = phase_loads_time(loads, least * (1 + ROUNDING));
        if ((time < least * (1 - ROUNDING) ||
             (time < INFINITY && loads->energy < tie * (1 - ROUNDING))) &&
            counts(d, arena)) {
            least = fmin(time, least);
            tie = loads->energy;
            memcpy(best, loads->host, n * sizeof(*best));
        }
    }
    memcpy(loads->host, best, n * sizeof(*best));
    return arena->error;
}

int phase_descent_run(uint32_t *host,
                      double *energy,
                      bool *timed_out,
                      const struct phase_descent *how,
                      struct rng *rng,
                      struct mapcore_error *err)
{
    struct phase_places d = {.how = how, .rng = rng};
    struct arena arena = {.err = err};
    int error = phase_loads_begin(&d.loads, how->tables, host, &arena);

    *timed_out = false;
    if (error == 0)
        error = make_places(&d, &arena);
    if (error == 0 && d.loads.energy > 0)
        error = run(timed_out, &d, &arena);
    if (error == 0)
        error = phase_loads_begin(&d.loads, how->tables, host, &arena);
    if (error == 0) {
        d.loads.doublings += 2;
        phase_loads_refresh(&d.loads);
        *energy = d.loads.energy;
    }
    arena_clear(&arena);
    return error;
}
