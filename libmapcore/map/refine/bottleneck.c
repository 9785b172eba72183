/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottleneck.c - descent on the links that need longest, or the tasks that have
 * most hop-bytes */
#include "config.h"

#include "map/refine/bottleneck.h"

#include "base/array.h"
#include "graph/csr.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Links within this share of the slowest count as slow, tasks likewise; at most
 * so many are looked at in a round. */
static const double SLOW_SHARE = 0.95;
#define MOST_SLOW 64
/* Changes tried in a round, and for each task at most; fewer where hubs make
 * them dear: a change is 16 + degree steps. So many steps between two looks at
 * the clock. */
#define TRIES        4096
#define TRIES_A_TASK 32
#define STEPS        (1 << 19)
#define STEPS_UNSEEN (1 << 14)
/* Bytes times hops that no task exceeds. */
#define MOST_BYTES (UINT64_MAX / 4)
/* Of the nearest hosts of a host, those that are tried. */
#define NEAR 8
/* What a share of all hop-bytes is worth in shares of the weight of links or
 * tasks. With 1 the tasks of a power law gave 5% of their hop-bytes for 3% of
 * the maximum. */
#define HOP_WORTH 20.0

struct relief {
    const struct map_problem *problem;
    const struct mapcore_topo *topo;
    enum relief_goal goal;
    uint32_t nitems; /* links or tasks */
    uint32_t *host;  /* [ntasks], the caller's */

    /* Places of host h: place_begin[h] .. place_begin[h + 1] - 1. */
    uint32_t *place_begin; /* [nhosts + 1] */
    uint32_t *tenant;      /* [places], or MAPCORE_NONE */
    uint32_t *place;       /* [ntasks] */

    uint64_t *load;    /* [nitems], of links half bytes, of tasks hop-bytes */
    double *slowness;  /* [nitems], time of a unit of load / that of the
                          slowest */
    uint64_t *before;  /* [nitems], load before the change at hand */
    bool *is_touched;  /* [nitems] by the change at hand */
    uint32_t *touched; /* [ntouched] */
    size_t ntouched;
    uint32_t *route; /* [diameter] */

    bool *is_slow;  /* [nitems] */
    uint32_t *edge; /* [nedges * 2], both tasks of edges over slow links,
                       or of slow tasks */
    size_t nedges, edge_room;
    uint32_t *near; /* [nhosts * NEAR]; not known yet: the host itself */
    uint16_t *row;  /* [nhosts], scratch for rows_get */
    uint64_t steps; /* of the round */
    double weight;  /* of all items */
    double carried; /* by all of them */
    double most;    /* that they may carry */
};

/* Adds to the load of an item, modulo 2^64. */
static void add_load(struct relief *r, uint32_t item, uint64_t load)
{
    if (!r->is_touched[item]) {
        r->is_touched[item] = true;
        r->touched[r->ntouched++] = item;
        r->before[item] = r->load[item];
    }
    r->load[item] += load;
}

static void add_route(struct relief *r, uint32_t a, uint32_t b, uint64_t bytes)
{
    uint32_t n = mapcore_topo_route(r->topo, a, b, r->route);

    for (uint32_t i = 0; i < n; i++)
        add_load(r, r->route[i], bytes);
}

/* Adds bytes (or takes them away, modulo 2^64) between two hosts, half each
 * way. */
static void add_traffic(struct relief *r,
                        uint32_t a,
                        uint32_t b,
                        uint64_t bytes)
{
    uint32_t from = mapcore_alloc_host(r->problem->alloc, a);
    uint32_t to = mapcore_alloc_host(r->problem->alloc, b);

    if (a == b)
        return;
    add_route(r, from, to, bytes);
    add_route(r, to, from, bytes);
}

/* Adds the load of an edge between tasks t and u when these are on hosts a and
 * b; of -bytes: takes it away. */
static void add_edge(struct relief *r,
                     uint32_t t,
                     uint32_t a,
                     uint32_t u,
                     uint32_t b,
                     uint64_t bytes)
{
    uint64_t load;

    if (r->goal == RELIEF_LINKS) {
        add_traffic(r, a, b, bytes);
        return;
    }
    load = bytes * mapcore_alloc_distance(r->problem->alloc, a, b);
    add_load(r, t, load);
    add_load(r, u, load);
}

static void move(struct relief *r, uint32_t t, uint32_t to)
{
    const struct mapcore_graph *graph = r->problem->graph;
    uint32_t from = r->host[t];

    r->steps += 16 + graph->row[t + 1] - graph->row[t];
    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
        uint32_t u = graph->task[k], other = r->host[u];

        add_edge(r, t, from, u, other, -graph->bytes[k]);
        add_edge(r, t, to, u, other, graph->bytes[k]);
    }
    r->host[t] = to;
}

/* What a link or task weighs: its time or load to the 16th power. */
static double weigh(const struct relief *r, uint32_t l, uint64_t load)
{
    double x = (double)load * r->slowness[l];

    x *= x;
    x *= x;
    x *= x;
    return x * x;
}

/* Ends a change: kept if all weigh less, by more than what hop-bytes it adds
 * are worth, none gets slower than the slowest of the round, and there are not
 * too many hop-bytes. */
static bool settle(struct relief *r)
{
    double sum = 0;
    int64_t more = 0; /* load of all */
    bool kept = true;

    for (size_t i = 0; i < r->ntouched; i++) {
        uint32_t l = r->touched[i];

        more += (int64_t)(r->load[l] - r->before[l]);
        sum += weigh(r, l, r->load[l]) - weigh(r, l, r->before[l]);
        kept = kept && (r->load[l] <= r->before[l] ||
                        (double)r->load[l] * r->slowness[l] <= 1);
    }
    kept = kept && sum < 0 &&
           sum / r->weight + HOP_WORTH * (double)more / r->carried < 0 &&
           (more <= 0 || r->carried + (double)more <= r->most);
    if (kept)
        r->carried += (double)more;
    for (size_t i = 0; i < r->ntouched; i++) {
        r->is_touched[r->touched[i]] = false;
        if (!kept)
            r->load[r->touched[i]] = r->before[r->touched[i]];
    }
    r->ntouched = 0;
    return kept;
}

/* Tries to take t to a place and its tenant to where t is. */
static void exchange(struct relief *r, uint32_t t, uint32_t place, uint32_t to)
{
    uint32_t from = r->host[t], u = r->tenant[place], old = r->place[t];

    move(r, t, to);
    if (u != MAPCORE_NONE)
        move(r, u, from);
    if (!settle(r)) {
        r->host[t] = from;
        if (u != MAPCORE_NONE)
            r->host[u] = to;
        return;
    }
    r->tenant[place] = t;
    r->place[t] = place;
    r->tenant[old] = u;
    if (u != MAPCORE_NONE)
        r->place[u] = old;
}

/* The nearest other hosts of h, found when first asked for; ties from the one
 * behind it on. */
static const uint32_t *nearest(struct relief *r, uint32_t h)
{
    uint32_t nhosts = mapcore_alloc_nhosts(r->problem->alloc), n = 0;
    uint32_t *near = r->near + (size_t)h * NEAR;
    const uint16_t *row;

    if (near[0] != h)
        return near;
    row = rows_get(r->problem->near, h, r->row);
    for (uint32_t i = 1; i < nhosts; i++) {
        uint32_t other = (uint32_t)(((uint64_t)h + i) % nhosts), at;

        if (n == NEAR && row[near[n - 1]] <= row[other])
            continue;
        at = n < NEAR ? n++ : n - 1;
        for (; at > 0 && row[near[at - 1]] > row[other]; at--)
            near[at] = near[at - 1];
        near[at] = other;
    }
    for (; n > 0 && n < NEAR; n++)
        near[n] = near[0];
    return near;
}

/* A task of an edge over a slow link goes to the host of one of its
 * neighbours, or of one of theirs, or near one. */
static void try_change(struct relief *r, struct rng *rng)
{
    const struct mapcore_graph *graph = r->problem->graph;
    uint32_t t = r->edge[rng_below(rng, (uint32_t)(2 * r->nedges))], to, n;

    if (rng_below(rng, 4) == 0) { /* make room: move someone beside it */
        uint32_t h = r->host[t];

        t = r->tenant[r->place_begin[h] +
                      rng_below(rng,
                                r->place_begin[h + 1] - r->place_begin[h])];
        if (t == MAPCORE_NONE)
            return;
    }
    n = (uint32_t)(graph->row[t + 1] - graph->row[t]);
    to = n > 0 ? r->host[graph->task[graph->row[t] + rng_below(rng, n)]]
               : r->host[t];
    if (to == r->host[t] || rng_below(rng, 2) == 0)
        to = nearest(r, to)[rng_below(rng, NEAR)];
    n = r->place_begin[to + 1] - r->place_begin[to];
    if (to != r->host[t] && n > 0)
        exchange(r, t, r->place_begin[to] + rng_below(rng, n), to);
}

static double capacity(const struct relief *r, uint32_t item)
{
    return r->goal == RELIEF_LINKS ? mapcore_topo_link_capacity(r->topo, item)
                                   : 1;
}

/* Finds the slowest, marks those near it, and scales slowness to it. */
static void find_slow(struct relief *r)
{
    uint32_t n = 0;
    double slowest = 0;

    for (uint32_t i = 0; i < r->nitems; i++) {
        double time = (double)r->load[i] / capacity(r, i);

        if (time > slowest)
            slowest = time;
    }
    r->weight = r->carried = 0;
    for (uint32_t i = 0; i < r->nitems; i++) {
        double can = capacity(r, i);

        r->slowness[i] = slowest > 0 ? 1 / (can * slowest) : 0;
        r->is_slow[i] = n < MOST_SLOW && r->load[i] > 0 &&
                        (double)r->load[i] / can >= SLOW_SHARE * slowest;
        n += r->is_slow[i];
        r->weight += weigh(r, i, r->load[i]);
        r->carried += (double)r->load[i];
    }
}

static bool is_over_slow(struct relief *r, uint32_t a, uint32_t b)
{
    uint32_t n = mapcore_topo_route(r->topo, a, b, r->route);

    for (uint32_t i = 0; i < n; i++)
        if (r->is_slow[r->route[i]])
            return true;
    return false;
}

static bool is_of_slow(struct relief *r, uint32_t t, uint32_t u)
{
    const struct mapcore_alloc *alloc = r->problem->alloc;
    uint32_t a, b;

    if (r->host[u] == r->host[t])
        return false;
    if (r->goal == RELIEF_TASKS)
        return r->is_slow[t] || r->is_slow[u];
    a = mapcore_alloc_host(alloc, r->host[t]);
    b = mapcore_alloc_host(alloc, r->host[u]);
    return is_over_slow(r, a, b) || is_over_slow(r, b, a);
}

static int find_edges(struct relief *r, struct mapcore_error *err)
{
    const struct mapcore_graph *graph = r->problem->graph;

    r->nedges = 0;
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t u = graph->task[k];
            int error;

            if (u < t || !is_of_slow(r, t, u))
                continue;
            if ((error =
                     array_reserve(&r->edge, &r->edge_room, 2 * r->nedges + 2,
                                   sizeof(*r->edge), err)) < 0)
                return error;
            r->edge[2 * r->nedges] = t;
            r->edge[2 * r->nedges++ + 1] = u;
        }
    return 0;
}

/* No host needs more places than there are tasks. */
static uint32_t count_places(const struct relief *r, uint32_t h)
{
    uint32_t slots = mapcore_alloc_slots(r->problem->alloc, h);
    uint32_t ntasks = r->problem->graph->ntasks;

    return slots < ntasks ? slots : ntasks;
}

static int make_arrays(struct relief *r, struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = r->problem->alloc;
    uint32_t ntasks = r->problem->graph->ntasks;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    size_t nplaces = 0;

    for (uint32_t h = 0; h < nhosts; h++)
        nplaces += count_places(r, h);
    r->place_begin =
        array_alloc((size_t)nhosts + 1, sizeof(*r->place_begin), err);
    r->tenant = array_alloc(nplaces, sizeof(*r->tenant), err);
    r->place = array_alloc(ntasks, sizeof(*r->place), err);
    r->load = array_alloc(r->nitems, sizeof(*r->load), err);
    r->slowness = array_alloc(r->nitems, sizeof(*r->slowness), err);
    r->before = array_alloc(r->nitems, sizeof(*r->before), err);
    r->is_touched = array_alloc(r->nitems, sizeof(*r->is_touched), err);
    r->touched = array_alloc(r->nitems, sizeof(*r->touched), err);
    r->is_slow = array_alloc(r->nitems, sizeof(*r->is_slow), err);
    r->route =
        array_alloc(mapcore_topo_diameter(r->topo), sizeof(*r->route), err);
    r->near = array_alloc((size_t)nhosts * NEAR, sizeof(*r->near), err);
    r->row = array_alloc(nhosts, sizeof(*r->row), err);
    return r->place_begin && r->tenant && r->place && r->load && r->slowness &&
                   r->before && r->is_touched && r->touched && r->is_slow &&
                   r->route && r->near && r->row
               ? 0
               : MAPCORE_ENOMEM;
}

static void clear(struct relief *r)
{
    free(r->place_begin);
    free(r->tenant);
    free(r->place);
    free(r->load);
    free(r->slowness);
    free(r->before);
    free(r->is_touched);
    free(r->touched);
    free(r->is_slow);
    free(r->route);
    free(r->near);
    free(r->row);
    free(r->edge);
}

/* Gives every task a place, and every link its load. */
static void begin(struct relief *r)
{
    const struct mapcore_graph *graph = r->problem->graph;
    const struct mapcore_alloc *alloc = r->problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    for (size_t i = 0; i < (size_t)nhosts * NEAR; i++)
        r->near[i] = (uint32_t)(i / NEAR);
    for (uint32_t h = 0; h < nhosts; h++)
        r->place_begin[h + 1] = r->place_begin[h] + count_places(r, h);
    for (uint32_t i = 0; i < r->place_begin[nhosts]; i++)
        r->tenant[i] = MAPCORE_NONE;
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint32_t place = r->place_begin[r->host[t]];

        while (r->tenant[place] != MAPCORE_NONE)
            place++;
        r->tenant[place] = t;
        r->place[t] = place;
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            if (graph->task[k] > t)
                add_edge(r, t, r->host[t], graph->task[k],
                         r->host[graph->task[k]], graph->bytes[k]);
    }
    for (size_t i = 0; i < r->ntouched; i++)
        r->is_touched[r->touched[i]] = false;
    r->ntouched = 0;
}

static void run_round(bool *cut, struct relief *r, struct rng *rng)
{
    uint32_t ntasks = r->problem->graph->ntasks;
    uint32_t tries =
        ntasks < TRIES / TRIES_A_TASK ? ntasks * TRIES_A_TASK : TRIES;
    uint64_t look = 0;

    r->steps = 0;
    for (uint32_t i = 0; i < tries && r->steps < STEPS; i++) {
        if (r->steps >= look) {
            *cut = map_clock_expired(&r->problem->clock);
            if (*cut)
                return;
            look = r->steps + STEPS_UNSEEN;
        }
        try_change(r, rng);
    }
}

int relief_run(uint32_t *host,
               bool *cut,
               const struct map_problem *problem,
               enum relief_goal goal,
               double slack,
               uint32_t rounds,
               struct rng *rng,
               struct mapcore_error *err)
{
    struct relief r = {.problem = problem,
                       .topo = mapcore_alloc_topo(problem->alloc),
                       .goal = goal,
                       .host = host};
    uint32_t diameter = mapcore_topo_diameter(r.topo);
    int error;

    *cut = false;
    if (goal == RELIEF_TASKS && diameter > 0 &&
        problem->graph->total > MOST_BYTES / diameter)
        return 0;
    r.nitems = goal == RELIEF_LINKS ? mapcore_topo_nlinks(r.topo)
                                    : problem->graph->ntasks;
    if ((error = make_arrays(&r, err)) == 0)
        begin(&r);
    for (uint32_t i = 0; error == 0 && i < rounds && !*cut; i++) {
        find_slow(&r);
        if (i == 0)
            r.most = r.carried * (1 + slack);
        if ((error = find_edges(&r, err)) < 0 || r.nedges == 0)
            break;
        run_round(cut, &r, rng);
    }
    clear(&r);
    return error;
}
