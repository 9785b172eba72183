/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottleneck_descent.c - loads of links or tasks, and whether a change of
 * places makes the largest less */
#include "config.h"

#include "map/refine/bottleneck_descent.h"

#include "base/array.h"
#include "graph/csr.h"
#include "metric/link_loads.h"
#include "topo/walk.h"

#include <stdlib.h>

/* Links within this share of the slowest count as slow, tasks likewise; at most
 * so many are looked at in a round. */
static const double SLOW_SHARE = 0.95;
#define MOST_SLOW 64
/* Tasks between two looks at the deadline. */
#define TASKS_UNSEEN 4096
/* What a share of all hop-bytes is worth in shares of the weight of links or
 * tasks. With 1 the tasks of a power law gave 5% of their hop-bytes for 3% of
 * the maximum. */
#define HOP_WORTH 20.0

/* Adds to the load of an item, modulo 2^64. */
static void add_load(struct bottleneck_descent *d, uint32_t item, uint64_t load)
{
    if (!d->is_touched[item]) {
        d->is_touched[item] = true;
        d->touched[d->ntouched++] = item;
        d->before[item] = d->load[item];
    }
    d->load[item] += load;
}

static void add_route(struct bottleneck_descent *d,
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
static void add_traffic(struct bottleneck_descent *d,
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
static void add_edge(struct bottleneck_descent *d,
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

static void move(struct bottleneck_descent *d, uint32_t t, uint32_t to)
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
static double weigh(const struct bottleneck_descent *d,
                    uint32_t l,
                    uint64_t load)
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
static bool is_better(int64_t *out, const struct bottleneck_descent *d)
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

static void end_change(struct bottleneck_descent *d, bool kept)
{
    for (size_t i = 0; i < d->ntouched; i++) {
        d->is_touched[d->touched[i]] = false;
        if (!kept)
            d->load[d->touched[i]] = d->before[d->touched[i]];
    }
    d->ntouched = 0;
}

bool bottleneck_descent_exchange(struct bottleneck_descent *d,
                                 uint32_t t,
                                 uint32_t place,
                                 uint32_t to,
                                 bool may_stay)
{
    uint32_t from = d->host[t], u = d->occupant[place], old = d->place[t];
    int64_t more;
    bool better;

    move(d, t, to);
    if (u != MAPCORE_NONE)
        move(d, u, from);
    better = is_better(&more, d);
    end_change(d, better && may_stay);
    if (!better || !may_stay) {
        d->host[t] = from;
        if (u != MAPCORE_NONE)
            d->host[u] = to;
        return better;
    }
    d->carried += (double)more;
    d->occupant[place] = t;
    d->place[t] = place;
    d->occupant[old] = u;
    if (u != MAPCORE_NONE)
        d->place[u] = old;
    return true;
}

static double capacity(const struct bottleneck_descent *d, uint32_t item)
{
    return d->of_links ? mapcore_topo_link_capacity(d->topo, item) : 1;
}

void bottleneck_descent_find_slow(struct bottleneck_descent *d)
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

static bool is_over_slow(struct bottleneck_descent *d, uint32_t a, uint32_t b)
{
    uint32_t whole, n = topo_split_route(d->topo, a, b, d->route, &whole);

    for (uint32_t i = 0; i < n; i++)
        if (d->is_slow[d->route[i]])
            return true;
    return false;
}

static bool is_of_slow(struct bottleneck_descent *d, uint32_t t, uint32_t u)
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
static bool is_late(struct bottleneck_descent *d, uint32_t t)
{
    if (t % TASKS_UNSEEN == 0 && t > 0 &&
        map_deadline_passed(&d->problem->deadline))
        d->timed_out = true;
    return d->timed_out;
}

int bottleneck_descent_find_edges(struct bottleneck_descent *d,
                                  struct mapcore_error *err)
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
static uint32_t count_places(const struct bottleneck_descent *d, uint32_t h)
{
    uint32_t slots = mapcore_alloc_slots(d->problem->alloc, h);
    uint32_t ntasks = d->problem->graph->ntasks;

    return slots < ntasks ? slots : ntasks;
}

static bool is_pinned(const struct bottleneck_descent *d, uint32_t t)
{
    return d->problem->pin && d->problem->pin[t] != MAPCORE_NONE;
}

static int make_arrays(struct bottleneck_descent *d, struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = d->problem->alloc;
    uint32_t ntasks = d->problem->graph->ntasks;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    size_t nplaces = 0;

    for (uint32_t h = 0; h < nhosts; h++)
        nplaces += count_places(d, h);
    d->place_begin =
        array_alloc((size_t)nhosts + 1, sizeof(*d->place_begin), err);
    d->occupant = array_alloc(nplaces, sizeof(*d->occupant), err);
    d->place = array_alloc(ntasks, sizeof(*d->place), err);
    d->load = array_alloc(d->nitems, sizeof(*d->load), err);
    d->slowness = array_alloc(d->nitems, sizeof(*d->slowness), err);
    d->before = array_alloc(d->nitems, sizeof(*d->before), err);
    d->is_touched = array_alloc(d->nitems, sizeof(*d->is_touched), err);
    d->touched = array_alloc(d->nitems, sizeof(*d->touched), err);
    d->is_slow = array_alloc(d->nitems, sizeof(*d->is_slow), err);
    d->route =
        array_alloc(mapcore_topo_diameter(d->topo), 2 * sizeof(*d->route), err);
    d->near =
        array_alloc((size_t)nhosts * BOTTLENECK_NEAR, sizeof(*d->near), err);
    d->row = array_alloc(nhosts, sizeof(*d->row), err);
    return d->place_begin && d->occupant && d->place && d->load &&
                   d->slowness && d->before && d->is_touched && d->touched &&
                   d->is_slow && d->route && d->near && d->row
               ? 0
               : MAPCORE_ENOMEM;
}

void bottleneck_descent_clear(struct bottleneck_descent *d)
{
    free(d->place_begin);
    free(d->occupant);
    free(d->place);
    free(d->load);
    free(d->slowness);
    free(d->before);
    free(d->is_touched);
    free(d->touched);
    free(d->is_slow);
    free(d->route);
    free(d->near);
    free(d->row);
    free(d->edge);
}

/* Gives every task a place, and every link its load. */
static void begin(struct bottleneck_descent *d)
{
    const struct mapcore_graph *graph = d->problem->graph;
    const struct mapcore_alloc *alloc = d->problem->alloc;
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    for (size_t i = 0; i < (size_t)nhosts * BOTTLENECK_NEAR; i++)
        d->near[i] = (uint32_t)(i / BOTTLENECK_NEAR);
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
}

int bottleneck_descent_create(struct bottleneck_descent *d,
                              struct mapcore_error *err)
{
    int error;

    d->topo = mapcore_alloc_topo(d->problem->alloc);
    d->units = LINK_LOADS_UNITS / 2 / mapcore_topo_link_directions(d->topo);
    d->nitems =
        d->of_links ? mapcore_topo_nlinks(d->topo) : d->problem->graph->ntasks;
    if ((error = make_arrays(d, err)) == 0)
        begin(d);
    return error;
}
