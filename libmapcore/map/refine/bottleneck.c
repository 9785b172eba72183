/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottleneck.c - descent on the links that need longest, or the tasks that have
 * most hop-bytes */
#include "config.h"

#include "map/refine/bottleneck.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "graph/csr.h"
#include "map/refine/anneal.h"
#include "metric/link_loads.h"
#include "topo/walk.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

/* Changes tried in a round, and for each task at most; fewer where hubs make
 * them dear: a change is 16 + degree steps. These steps lie between two looks
 * at the deadline. */
#define TRIES        4096
#define TRIES_A_TASK 32
#define STEPS        (1 << 19)
#define STEPS_UNSEEN (1 << 14)
/* Bytes times hops that fit, also as link_loads.h counts them. */
#define MOST_BYTES (UINT64_MAX / 8)

/* Links within this share of the slowest count as slow, tasks likewise; at most
 * this number are looked at in a round. */
static const double SLOW_SHARE = 0.95;
#define MOST_SLOW 64
/* Tasks between two looks at the deadline. */
#define TASKS_UNSEEN 4096
/* What a share of all hop-bytes is worth in shares of the weight of links or
 * tasks. With 1 the tasks of a power law gave 5% of their hop-bytes for 3% of
 * the maximum. */
#define HOP_WORTH 20.0

/* Where tasks are and what that puts on links or tasks, kept exactly while they
 * change places. */
struct bottleneck {
    const struct map_problem *problem;
    const struct mapcore_topo *topo;
    bool of_links;   /* else of tasks */
    uint32_t nitems; /* links or tasks */
    uint32_t *host;  /* [ntasks], the caller's */

    /* Places of host h: place_begin[h] .. place_begin[h + 1] - 1. */
    uint32_t *place_begin; /* [nhosts + 1] */
    uint32_t *occupant;    /* [places], or MAPCORE_NONE */
    uint32_t *place;       /* [ntasks]; of a pinned task MAPCORE_NONE */

    uint32_t units;    /* that half of an edge's byte puts on a link */
    uint64_t *load;    /* [nitems], of links as link_loads.h counts, of
                          tasks hop-bytes */
    double *slowness;  /* [nitems], time of a unit of load / that of the
                          slowest */
    uint64_t *before;  /* [nitems], load before the change at hand */
    bool *is_touched;  /* [nitems] by the change at hand */
    uint32_t *touched; /* [ntouched] */
    size_t ntouched;
    uint32_t *route; /* [2 * diameter] */

    bool *is_slow;  /* [nitems] */
    uint32_t *edge; /* [nedges * 2], both tasks of edges over slow links,
                       or of slow tasks */
    size_t nedges, edge_capacity;
    uint32_t *near; /* [nhosts * REGION_NEAR]; not known yet: the host itself */
    uint16_t *row;  /* [nhosts], scratch for distances_row */
    uint64_t steps; /* of the round */
    double weight;  /* of all items */
    double carried; /* by all of them */
    double most;    /* that they may carry */
    double heat;    /* what a change may cost, in shares of the weight */
    bool timed_out; /* before create or find_edges were through */
};

/* Adds to the load of an item, modulo 2^64. */
static void add_load(struct bottleneck *d, uint32_t item, uint64_t load)
{
    if (!d->is_touched[item]) {
        d->is_touched[item] = true;
        d->touched[d->ntouched++] = item;
        d->before[item] = d->load[item];
    }
    d->load[item] += load;
}

static void add_route(struct bottleneck *d,
                      uint32_t a,
                      uint32_t b,
                      uint64_t bytes)
{
    uint32_t whole, n = topo_split_route(d->topo, a, b, d->route, &whole);

    for (uint32_t i = 0; i < whole; i++)
        add_load(d, d->route[i], d->units * bytes);
    for (uint32_t i = whole; i < n; i++)
        add_load(d, d->route[i], bytes);
}

/* Adds bytes (or takes them away, modulo 2^64) between two hosts, half each
 * way. */
static void add_traffic(struct bottleneck *d,
                        uint32_t a,
                        uint32_t b,
                        uint64_t bytes)
{
    uint32_t from = mapcore_alloc_host(d->problem->alloc, a);
    uint32_t to = mapcore_alloc_host(d->problem->alloc, b);

    if (a == b)
        return;
    add_route(d, from, to, bytes);
    add_route(d, to, from, bytes);
}

/* Adds the load of an edge between tasks t and u when these are on hosts a and
 * b; of -bytes: takes it away. */
static void add_edge(struct bottleneck *d,
                     uint32_t t,
                     uint32_t a,
                     uint32_t u,
                     uint32_t b,
                     uint64_t bytes)
{
    uint64_t load;

    if (d->of_links) {
        add_traffic(d, a, b, bytes);
        return;
    }
    load = bytes * mapcore_alloc_distance(d->problem->alloc, a, b);
    add_load(d, t, load);
    add_load(d, u, load);
}

static void move(struct bottleneck *d, uint32_t t, uint32_t to)
{
    const struct mapcore_graph *graph = d->problem->graph;
    uint32_t from = d->host[t];

    d->steps += 16 + graph->row[t + 1] - graph->row[t];
    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
        uint32_t u = graph->task[k], other = d->host[u];

        add_edge(d, t, from, u, other, -graph->bytes[k]);
        add_edge(d, t, to, u, other, graph->bytes[k]);
    }
    d->host[t] = to;
}

/* What a link or task weighs: its time or load to the 16th power. */
static double weigh(const struct bottleneck *d, uint32_t l, uint64_t load)
{
    double x = (double)load * d->slowness[l];

    x *= x;
    x *= x;
    x *= x;
    return x * x;
}

/* Whether a change is worth keeping: all weigh less, by more than what
 * hop-bytes it adds are worth, or more by as much as heat allows; without heat
 * none gets slower than the slowest of the round; and there are not too many
 * hop-bytes. *out: load that it adds. */
static bool is_better(int64_t *out, const struct bottleneck *d)
{
    double sum = 0;
    int64_t more = 0;
    bool kept = true;

    for (size_t i = 0; i < d->ntouched; i++) {
        uint32_t l = d->touched[i];

        more += (int64_t)(d->load[l] - d->before[l]);
        sum += weigh(d, l, d->load[l]) - weigh(d, l, d->before[l]);
        kept = kept && (d->load[l] <= d->before[l] ||
                        (double)d->load[l] * d->slowness[l] <= 1);
    }
    *out = more;
    return (d->heat > 0 || (kept && sum < 0)) &&
           sum / d->weight + HOP_WORTH * (double)more / d->carried < d->heat &&
           (more <= 0 || d->carried + (double)more <= d->most);
}

static void end_change(struct bottleneck *d, bool kept)
{
    for (size_t i = 0; i < d->ntouched; i++) {
        d->is_touched[d->touched[i]] = false;
        if (!kept)
            d->load[d->touched[i]] = d->before[d->touched[i]];
    }
    d->ntouched = 0;
}

/* Tries to take t to a place of host `to`, which is not its own, and the
 * occupant of that to where t is: it stays so if that is better. */
static bool exchange(struct bottleneck *d,
                     uint32_t t,
                     uint32_t place,
                     uint32_t to)
{
    uint32_t from = d->host[t], u = d->occupant[place], old = d->place[t];
    int64_t more;
    bool better;

    move(d, t, to);
    if (u != MAPCORE_NONE)
        move(d, u, from);
    better = is_better(&more, d);
    end_change(d, better);
    if (!better) {
        d->host[t] = from;
        if (u != MAPCORE_NONE)
            d->host[u] = to;
        return false;
    }
    d->carried += (double)more;
    d->occupant[place] = t;
    d->place[t] = place;
    d->occupant[old] = u;
    if (u != MAPCORE_NONE)
        d->place[u] = old;
    return true;
}

static double capacity(const struct bottleneck *d, uint32_t item)
{
    return d->of_links ? mapcore_topo_link_capacity(d->topo, item) : 1;
}

static void find_slow(struct bottleneck *d)
{
    uint32_t n = 0;
    double slowest = 0;

    for (uint32_t i = 0; i < d->nitems; i++) {
        double time = (double)d->load[i] / capacity(d, i);

        if (time > slowest)
            slowest = time;
    }
    d->weight = d->carried = 0;
    for (uint32_t i = 0; i < d->nitems; i++) {
        double can = capacity(d, i);

        d->slowness[i] = slowest > 0 ? 1 / (can * slowest) : 0;
        d->is_slow[i] = n < MOST_SLOW && d->load[i] > 0 &&
                        (double)d->load[i] / can >= SLOW_SHARE * slowest;
        n += d->is_slow[i];
        d->weight += weigh(d, i, d->load[i]);
        d->carried += (double)d->load[i];
    }
}

static bool is_over_slow(struct bottleneck *d, uint32_t a, uint32_t b)
{
    uint32_t whole, n = topo_split_route(d->topo, a, b, d->route, &whole);

    for (uint32_t i = 0; i < n; i++)
        if (d->is_slow[d->route[i]])
            return true;
    return false;
}

static bool is_of_slow(struct bottleneck *d, uint32_t t, uint32_t u)
{
    const struct mapcore_alloc *alloc = d->problem->alloc;
    uint32_t a, b;

    if (d->host[u] == d->host[t])
        return false;
    if (!d->of_links)
        return d->is_slow[t] || d->is_slow[u];
    a = mapcore_alloc_host(alloc, d->host[t]);
    b = mapcore_alloc_host(alloc, d->host[u]);
    return is_over_slow(d, a, b) || is_over_slow(d, b, a);
}

/* Of a million tasks with many routes each there may be no time for all. */
static bool is_late(struct bottleneck *d, uint32_t t)
{
    if (t % TASKS_UNSEEN == 0 && t > 0 &&
        map_deadline_passed(&d->problem->deadline))
        d->timed_out = true;
    return d->timed_out;
}

static int find_edges(struct bottleneck *d, struct mapcore_error *err)
{
    const struct mapcore_graph *graph = d->problem->graph;

    d->nedges = 0;
    for (uint32_t t = 0; t < graph->ntasks && !is_late(d, t); t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t u = graph->task[k];
            int error;

            if (u < t || !is_of_slow(d, t, u))
                continue;
            if ((error = array_reserve(&d->edge, &d->edge_capacity,
                                       2 * d->nedges + 2, sizeof(*d->edge),
                                       err)) < 0)
                return error;
            d->edge[2 * d->nedges] = t;
            d->edge[2 * d->nedges++ + 1] = u;
        }
    return 0;
}

/* No host needs more places than there are tasks. */
static uint32_t count_places(const struct bottleneck *d, uint32_t h)
{
    uint32_t slots = mapcore_alloc_slots(d->problem->alloc, h);
    uint32_t ntasks = d->problem->graph->ntasks;

    return slots < ntasks ? slots : ntasks;
}

static bool is_pinned(const struct bottleneck *d, uint32_t t)
{
    return d->problem->pin && d->problem->pin[t] != MAPCORE_NONE;
}

static int make_arrays(struct bottleneck *d, struct arena *arena)
{
    const struct mapcore_alloc *alloc = d->problem->alloc;
    uint32_t ntasks = d->problem->graph->ntasks, n = d->nitems;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    size_t nplaces = 0;

    for (uint32_t h = 0; h < nhosts; h++)
        nplaces += count_places(d, h);
    d->place_begin =
        arena_alloc(arena, (size_t)nhosts + 1, sizeof(*d->place_begin));
    d->occupant = arena_alloc(arena, nplaces, sizeof(*d->occupant));
    d->place = arena_alloc(arena, ntasks, sizeof(*d->place));
    d->load = arena_alloc(arena, n, sizeof(*d->load));
    d->slowness = arena_alloc(arena, n, sizeof(*d->slowness));
    d->before = arena_alloc(arena, n, sizeof(*d->before));
    d->is_touched = arena_alloc(arena, n, sizeof(*d->is_touched));
    d->touched = arena_alloc(arena, n, sizeof(*d->touched));
    d->is_slow = arena_alloc(arena, n, sizeof(*d->is_slow));
    d->route = arena_alloc(arena, mapcore_topo_diameter(d->topo),
                           2 * sizeof(*d->route));
    d->near =
        arena_alloc(arena, (size_t)nhosts * REGION_NEAR, sizeof(*d->near));
    d->row = arena_alloc(arena, nhosts, sizeof(*d->row));
    return arena->error;
}

/* Gives every task a place, and every link or task its load; when time is up
 * before that, timed_out, and it can only be cleared. */
static int begin(struct bottleneck *d, struct arena *arena)
{
    const struct mapcore_graph *graph = d->problem->graph;
    const struct mapcore_alloc *alloc = d->problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    d->topo = mapcore_alloc_topo(alloc);
    d->units = LINK_LOADS_UNITS / 2 / mapcore_topo_link_directions(d->topo);
    d->nitems = d->of_links ? mapcore_topo_nlinks(d->topo) : graph->ntasks;
    if (make_arrays(d, arena) < 0)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < (size_t)nhosts * REGION_NEAR; i++)
        d->near[i] = (uint32_t)(i / REGION_NEAR);
    for (uint32_t h = 0; h < nhosts; h++)
        d->place_begin[h + 1] = count_places(d, h);
    for (uint32_t t = 0; t < graph->ntasks; t++)
        d->place_begin[d->host[t] + 1] -= is_pinned(d, t);
    for (uint32_t h = 0; h < nhosts; h++)
        d->place_begin[h + 1] += d->place_begin[h];
    for (uint32_t i = 0; i < d->place_begin[nhosts]; i++)
        d->occupant[i] = MAPCORE_NONE;
    for (uint32_t t = 0; t < graph->ntasks && !is_late(d, t); t++) {
        uint32_t place = d->place_begin[d->host[t]];

        while (!is_pinned(d, t) && d->occupant[place] != MAPCORE_NONE)
            place++;
        d->place[t] = is_pinned(d, t) ? MAPCORE_NONE : place;
        if (!is_pinned(d, t))
            d->occupant[place] = t;
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (graph->task[k] > t)
                add_edge(d, t, d->host[t], graph->task[k],
                         d->host[graph->task[k]], graph->bytes[k]);
    }
    for (size_t i = 0; i < d->ntouched; i++)
        d->is_touched[d->touched[i]] = false;
    d->ntouched = 0;
    return 0;
}

/* The nearest other hosts of h, found when first asked for. */
static const uint32_t *nearest(struct bottleneck *d, uint32_t h)
{
    const struct mapcore_alloc *alloc = d->problem->alloc;
    uint32_t *near = d->near + (size_t)h * REGION_NEAR, n;

    if (near[0] != h)
        return near;
    n = map_nearest(near, REGION_NEAR,
                    distances_row(alloc_distances(alloc), h, d->row),
                    mapcore_alloc_nhosts(alloc), h, h);
    for (; n > 0 && n < REGION_NEAR; n++)
        near[n] = near[0];
    return near;
}

/* A random number, exponentially distributed with mean 1. */
static double exponential(struct rng *rng)
{
    return -log(((double)(rng_next(rng) >> 11) + 1) * 0x1p-53);
}

/* A task of an edge over a slow link goes to the host of one of its
 * neighbours, or of one of theirs, or near one. */
static void try_change(struct bottleneck *d, struct rng *rng)
{
    const struct mapcore_graph *graph = d->problem->graph;
    uint32_t t = d->edge[rng_below(rng, (uint32_t)(2 * d->nedges))], to, n;

    if (rng_below(rng, 4) == 0) { /* free a slot: move someone beside it */
        uint32_t h = d->host[t];

        n = d->place_begin[h + 1] - d->place_begin[h];
        t = n > 0 ? d->occupant[d->place_begin[h] + rng_below(rng, n)]
                  : MAPCORE_NONE;
    }
    if (t == MAPCORE_NONE || d->place[t] == MAPCORE_NONE)
        return;
    n = (uint32_t)(graph->row[t + 1] - graph->row[t]);
    to = n > 0 ? d->host[graph->task[graph->row[t] + rng_below(rng, n)]]
               : d->host[t];
    if (to == d->host[t] || rng_below(rng, 2) == 0)
        to = nearest(d, to)[rng_below(rng, REGION_NEAR)];
    n = d->place_begin[to + 1] - d->place_begin[to];
    if (to != d->host[t] && n > 0)
        exchange(d, t, d->place_begin[to] + rng_below(rng, n), to);
}

static void run_round(struct bottleneck *d, double hot, struct rng *rng)
{
    uint32_t ntasks = d->problem->graph->ntasks;
    uint32_t tries =
        ntasks < TRIES / TRIES_A_TASK ? ntasks * TRIES_A_TASK : TRIES;
    uint64_t look = 0;

    d->steps = 0;
    for (uint32_t i = 0; i < tries && d->steps < STEPS; i++) {
        if (d->steps >= look) {
            d->timed_out = map_deadline_passed(&d->problem->deadline);
            if (d->timed_out)
                return;
            look = d->steps + STEPS_UNSEEN;
        }
        /* The rule of Metropolis. */
        d->heat = hot > 0 ? hot * exponential(rng) : 0;
        try_change(d, rng);
    }
}

/* Loads whose sums might not fit are left alone. */
static bool is_too_much(const struct map_problem *problem)
{
    uint32_t diameter =
        mapcore_topo_diameter(mapcore_alloc_topo(problem->alloc));

    return diameter > 0 && problem->graph->total > MOST_BYTES / diameter;
}

/* Whether no change of one place for another is better, among them all that a
 * round could try; not when time is up before that is known. */
static bool is_stuck(struct bottleneck *d)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(d->problem->alloc);

    for (uint32_t t = 0; t < d->problem->graph->ntasks; t++)
        for (uint32_t h = 0; d->place[t] != MAPCORE_NONE && h < nhosts; h++) {
            if (map_deadline_passed(&d->problem->deadline))
                return false;
            for (uint32_t q = d->place_begin[h]; q < d->place_begin[h + 1]; q++)
                if (h != d->host[t] && exchange(d, t, q, h))
                    return false;
        }
    return true;
}

int bottleneck_look(bool *stuck,
                    const uint32_t *host,
                    const struct map_problem *problem,
                    const struct bottleneck_how *how,
                    struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    struct bottleneck d = {.problem = problem,
                           .of_links = how->goal == BOTTLENECK_LINKS};
    int error;

    *stuck = true;
    if (is_too_much(problem))
        return 0;
    d.host = arena_copy(&arena, host, problem->graph->ntasks, sizeof(*host));
    error = d.host ? begin(&d, &arena) : MAPCORE_ENOMEM;
    if (error == 0 && !d.timed_out) {
        find_slow(&d);
        d.most = d.carried * (1 + how->slack);
        error = find_edges(&d, err);
    }
    *stuck = error == 0 && !d.timed_out && (d.nedges == 0 || is_stuck(&d));
    arena_clear(&arena);
    free(d.edge);
    return error;
}

int bottleneck_run(uint32_t *host,
                   bool *timed_out,
                   const struct map_problem *problem,
                   const struct bottleneck_how *how,
                   struct rng *rng,
                   struct mapcore_error *err)
{
    struct bottleneck d = {.problem = problem,
                           .of_links = how->goal == BOTTLENECK_LINKS,
                           .host = host};
    struct arena arena = {.err = err};
    int error;

    *timed_out = false;
    if (how->weight)
        *how->weight = 0;
    if (is_too_much(problem))
        return 0;
    error = begin(&d, &arena);
    for (uint32_t i = 0; error == 0 && i < how->rounds && !d.timed_out; i++) {
        double cooled = 1 - 2.0 * i / how->rounds;

        find_slow(&d);
        if (i == 0)
            d.most = d.carried * (1 + how->slack);
        if ((error = find_edges(&d, err)) < 0 || d.nedges == 0 || d.timed_out)
            break;
        run_round(&d, cooled > 0 ? how->hot * cooled : 0, rng);
    }
    if (error == 0 && how->weight) {
        find_slow(&d);
        *how->weight = d.weight;
    }
    *timed_out = d.timed_out;
    arena_clear(&arena);
    free(d.edge);
    return error;
}
