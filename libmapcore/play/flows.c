/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flows.c - from edges to flows, equal ones together, and their ways as ports:
 * static, equal-cost, adaptive and non-minimal ones, one flow after the other
 */
#include "config.h"

#include "play/flows.h"

#include "base/rng.h"
#include "graph/csr.h"
#include "metric/link_loads.h"
#include "topo/walk.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Purposes of random streams. */
enum { EQUAL_COST = 0xec39, DETOUR = 0x06a1 };

/* Where ways through the network are found, and the ports that they have so
 * far: by cable where they are static. */
struct flow_routes {
    const struct mapcore_alloc *alloc;
    const struct mapcore_topo *topo;
    enum mapcore_routing routing;
    uint64_t seed;
    struct link_ports links;
    uint32_t longest; /* the most links that a way has */
    uint64_t *load;   /* half bytes; UGAL: [nlinks * directions]; adaptive:
                         [nlinks], the walker's */
    struct least_loaded *walker; /* adaptive */
    uint32_t *next_link, *next;  /* [topo_max_next_hops], ECMP */
    uint32_t *detour;            /* [2 * diameter], UGAL */
    uint64_t *seen, now;         /* [nlinks * directions], UGAL */
    size_t n, capacity;          /* ports of all ways */
};

/* The way of a flow between two different hosts of the topology. */
struct flow_way {
    uint32_t a, b;
    uint64_t half_bytes, number; /* of the flow */
    uint32_t *link;              /* [longest], each at most once */
    uint32_t whole; /* those after the first `whole` carry half of the flow, as
                       topo_split_route has it */
};

static uint32_t find_equal_cost(struct flow_routes *r, struct flow_way *way)
{
    uint32_t n = 0, at = way->a, nhops;
    struct rng rng;

    rng_init(&rng, r->seed, EQUAL_COST, way->number);
    while ((nhops = topo_next_hops(r->topo, at, way->b, r->next_link,
                                   r->next)) > 0) {
        uint32_t i = nhops > 1 ? rng_below(&rng, nhops) : 0;

        way->link[n++] = r->next_link[i];
        at = r->next[i];
    }
    return n;
}

/* The host's own link at the end of the way to it, and that at the beginning of
 * the way from it, belong to no way that only passes its switch. */
static uint32_t join_ways(const struct flow_routes *r,
                          uint32_t *link,
                          uint32_t there,
                          uint32_t on)
{
    uint32_t in[2], out[2], dirs = r->links.directions;

    if (there == 0 || on == 0)
        return 0;
    topo_link_ends(r->topo, link[there - 1] / dirs, in);
    topo_link_ends(r->topo, link[there] / dirs, out);
    /* A link with both directions begins with its lower end, the host. */
    if ((dirs == 2 ? in[1] : in[0]) != out[1])
        return 0;
    for (uint32_t i = there; i + 1 < there + on; i++)
        link[i - 1] = link[i + 1];
    return there + on - 2;
}

/* 0: there is none that would make sense. */
static uint32_t find_detour(struct flow_routes *r, const struct flow_way *way)
{
    uint32_t n, there, on, by;
    struct rng rng;

    rng_init(&rng, r->seed, DETOUR, way->number);
    by = rng_below(&rng, mapcore_topo_nhosts(r->topo));
    if (by == way->a || by == way->b)
        return 0;
    there = mapcore_topo_route(r->topo, way->a, by, r->detour);
    on = mapcore_topo_route(r->topo, by, way->b, r->detour + there);
    link_ports_take(&r->links, way->a, by, r->detour, there);
    link_ports_take(&r->links, by, way->b, r->detour + there, on);
    n = topo_is_attached(r->topo, by) ? there + on
                                      : join_ways(r, r->detour, there, on);
    r->now++;
    for (uint32_t i = 0; i < n; i++) {
        if (r->seen[r->detour[i]] == r->now)
            return 0;
        r->seen[r->detour[i]] = r->now;
    }
    return n;
}

/* What its busiest link will carry, in time, x its length. */
static double weigh(const struct flow_routes *r,
                    const uint32_t *link,
                    uint32_t n,
                    uint32_t whole,
                    uint64_t half_bytes)
{
    double most = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint64_t more = i < whole ? half_bytes : half_bytes / 2;
        double time =
            (double)(r->load[link[i]] + more) /
            mapcore_topo_link_capacity(r->topo, link[i] / r->links.directions);

        if (time > most)
            most = time;
    }
    return most * (whole + (n - whole) / 2);
}

/* UGAL, where the static way has n links. */
static uint32_t choose_detour(struct flow_routes *r,
                              struct flow_way *way,
                              uint32_t n)
{
    const uint64_t half_bytes = way->half_bytes;
    uint32_t round = n > 0 ? find_detour(r, way) : 0;

    if (round > 0 && weigh(r, way->link, n, way->whole, half_bytes) >
                         weigh(r, r->detour, round, round, half_bytes)) {
        for (n = 0; n < round; n++)
            way->link[n] = r->detour[n];
        way->whole = n;
    }
    for (uint32_t i = 0; i < n; i++)
        r->load[way->link[i]] += i < way->whole ? half_bytes : half_bytes / 2;
    return n;
}

/* Finds the links of a way; returns how many. Where routing looks at loads,
 * half_bytes are added to those on it. */
static uint32_t find_way(struct flow_routes *r, struct flow_way *way)
{
    uint32_t n;

    if (r->routing == MAPCORE_ROUTING_ECMP)
        n = way->whole = find_equal_cost(r, way);
    else if (r->routing == MAPCORE_ROUTING_ADAPTIVE)
        n = way->whole = least_loaded_walk(r->walker, way->a, way->b,
                                           way->half_bytes, way->link);
    else
        n = topo_split_route(r->topo, way->a, way->b, way->link, &way->whole);
    link_ports_take(&r->links, way->a, way->b, way->link, n);
    return r->routing == MAPCORE_ROUTING_UGAL ? choose_detour(r, way, n) : n;
}

static struct flow_routes open_routes(struct arena *memory,
                                      const struct mapcore_alloc *alloc,
                                      const struct mapcore_play_how *how)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    struct flow_routes r = {.alloc = alloc,
                            .topo = topo,
                            .routing = how->rates.routing,
                            .seed = how->seed,
                            .links = link_ports_of(topo, how->rates.routing),
                            .longest = 2 * mapcore_topo_diameter(topo)};
    const size_t n = link_ports_count(&r.links);
    const uint32_t most = topo_max_next_hops(topo);

    if (r.routing == MAPCORE_ROUTING_ECMP) {
        r.next_link = arena_alloc(memory, most, sizeof(*r.next_link));
        r.next = arena_alloc(memory, most, sizeof(*r.next));
    } else if (r.routing != MAPCORE_ROUTING_STATIC) {
        r.load = arena_alloc(memory, n, sizeof(*r.load));
    }
    if (r.routing == MAPCORE_ROUTING_ADAPTIVE)
        r.walker = least_loaded_open(memory, topo, r.load);
    if (r.routing == MAPCORE_ROUTING_UGAL) {
        r.seen = arena_alloc(memory, n, sizeof(*r.seen));
        r.detour = arena_alloc(memory, r.longest, sizeof(*r.detour));
    }
    return r;
}

struct flow_demand {
    uint32_t a, b;  /* hosts of the allocation */
    uint64_t bytes; /* of the edge: half bytes of the flow */
    uint32_t members;
    struct flow_ends ends;
};

struct flow_demands {
    const struct mapcore_play_source *source; /* borrowed */
    bool has_memories;
    uint32_t interfaces; /* hosts in a row that are one node */
    size_t n;
    struct flow_demand *demand;
};

static int compare(const void *x, const void *y)
{
    const struct flow_demand *a = x, *b = y;

    if (a->a != b->a)
        return a->a < b->a ? -1 : 1;
    if (a->b != b->b)
        return a->b < b->b ? -1 : 1;
    return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

/* Where the way depends on the hosts alone, equal demands are one. */
static void merge_equal(struct flow_demands *demands)
{
    size_t n = 0;

    if (demands->n == 0)
        return;
    qsort(demands->demand, demands->n, sizeof(*demands->demand), compare);
    for (size_t i = 1; i < demands->n; i++) {
        if (compare(&demands->demand[n], &demands->demand[i]) == 0)
            demands->demand[n].members++;
        else
            demands->demand[++n] = demands->demand[i];
    }
    demands->n = n + 1;
}

/* The k-th flow, of half these bytes. */
static void add_demand(struct flow_demands *out,
                       uint32_t from,
                       uint32_t to,
                       uint64_t bytes,
                       size_t k)
{
    const struct mapcore_play_source *source = out->source;
    const uint32_t a = source->host[from], b = source->host[to];

    if (bytes > 0 &&
        (!topo_is_one_node(out->interfaces, a, b) || out->has_memories))
        out->demand[out->n++] = (struct flow_demand){
            a, b, bytes, 1, {from, to, source->stage ? source->stage[k] : 0}};
}

static int list_demands(struct flow_demands *out, struct arena *memory)
{
    const struct mapcore_graph *graph = out->source->graph;
    const struct mapcore_phases *phases = out->source->phases;
    const size_t phase = out->source->phase;
    const size_t first = graph ? 0 : phases->first[phase];
    const size_t entries =
        graph ? graph->row[graph->ntasks] : phases->first[phase + 1] - first;

    if (entries >= UINT32_MAX)
        return error_set(memory->err, MAPCORE_ERANGE,
                         "%zu flows are more than can be played", entries);
    out->demand = arena_alloc(memory, entries, sizeof(*out->demand));
    if (!out->demand)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; graph && t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            add_demand(out, t, graph->task[k], graph->bytes[k], k);
    for (size_t i = 0; !graph && i < entries; i++) {
        const struct mapcore_flow *flow = &phases->flow[first + i];

        if (flow->bytes > UINT64_MAX / 2)
            return error_set(memory->err, MAPCORE_ERANGE,
                             "%" PRIu64 " bytes from task %u to %u are more "
                             "than can be played",
                             flow->bytes, flow->from, flow->to);
        add_demand(out, flow->from, flow->to, 2 * flow->bytes, i);
    }
    return 0;
}

/* Numbers the ports. */
static int count_ports(struct flows *f,
                       const struct mapcore_alloc *alloc,
                       const struct mapcore_host_rates *rates)
{
    f->links = link_ports_of(mapcore_alloc_topo(alloc), rates->routing);
    link_ports_behind(&f->links, mapcore_alloc_nhosts(alloc), rates->nic > 0,
                      rates->memory > 0);
    if (f->links.task >= UINT32_MAX)
        return error_set(f->arena.err, MAPCORE_ERANGE,
                         "%" PRIu64 " ports are more than can be played",
                         f->links.task);
    f->nports = (uint32_t)f->links.task;
    f->capacity = arena_alloc(&f->arena, f->nports, sizeof(*f->capacity));
    for (uint32_t p = 0; f->capacity && p < f->nports; p++)
        f->capacity[p] = p >= f->links.memory ? rates->memory
                         : p >= f->links.nic
                             ? rates->nic
                             : link_ports_capacity(&f->links, p);
    return f->arena.error;
}

/* Appends the ports of a demand; those of f->n, the next element. */
static int add_ports(struct flows *f,
                     struct flow_routes *r,
                     const struct flow_demand *demand,
                     uint64_t number)
{
    const uint32_t nic = (uint32_t)f->links.nic;
    const bool has_nics = f->links.memory > nic;
    struct flow_way way = {mapcore_alloc_host(r->alloc, demand->a),
                           mapcore_alloc_host(r->alloc, demand->b),
                           demand->bytes, number, .whole = 1};
    int error =
        array_reserve(&f->port, &r->capacity, r->n + r->longest + (size_t)2,
                      sizeof(*f->port), f->arena.err);

    if (error < 0)
        return error;
    if (topo_is_one_node(topo_interfaces(r->topo), demand->a, demand->b)) {
        f->port[r->n++] = (uint32_t)f->links.memory + demand->a -
                          demand->a % topo_interfaces(r->topo);
    } else {
        if (has_nics) {
            f->port[r->n++] = nic + 2 * demand->a;
            f->port[r->n++] = nic + 2 * demand->b + 1;
        }
        way.link = f->port + r->n;
        r->n += find_way(r, &way);
        way.whole += has_nics ? 2 : 0;
    }
    f->whole[f->n] = way.whole;
    return 0;
}

static int find_ways(struct flows *f,
                     struct flow_routes *r,
                     const struct flow_demands *demands)
{
    struct arena *memory = &f->arena;
    const size_t n = demands->n;
    int error;

    f->left = arena_alloc(memory, n, sizeof(*f->left));
    f->members = arena_alloc(memory, n, sizeof(*f->members));
    f->whole = arena_alloc(memory, n, sizeof(*f->whole));
    f->first = arena_alloc(memory, n + 1, sizeof(*f->first));
    if (demands->source->stage)
        f->ends = arena_alloc(memory, n, sizeof(*f->ends));
    error = memory->error;
    for (size_t i = 0; error == 0 && i < n; i++) {
        const struct flow_demand *demand = &demands->demand[i];

        error = add_ports(f, r, demand, i);
        if (error < 0 || r->n == f->first[f->n])
            continue;
        f->left[f->n] = (double)demand->bytes / 2;
        f->members[f->n] = demand->members;
        if (f->ends)
            f->ends[f->n] = demand->ends;
        f->nmembers += demand->members;
        f->first[++f->n] = r->n;
    }
    return error;
}

static void list_by_port(struct flows *f)
{
    memset(f->port_first, 0, ((size_t)f->nports + 1) * sizeof(*f->port_first));
    for (uint32_t i = 0; i < f->nactive; i++)
        for (size_t k = f->first[f->active[i]]; k < f->first[f->active[i] + 1];
             k++)
            f->port_first[f->port[k]]++;
    for (uint32_t p = 1; p <= f->nports; p++)
        f->port_first[p] += f->port_first[p - 1];
    for (uint32_t i = f->nactive; i-- > 0;)
        for (size_t k = f->first[f->active[i]]; k < f->first[f->active[i] + 1];
             k++)
            f->flow[--f->port_first[f->port[k]]] = f->active[i];
}

void flows_begin(struct flows *f, const uint32_t *number, uint32_t n)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < f->nactive; i++)
        if (f->left[f->active[i]] > 0)
            f->active[kept++] = f->active[i];
    for (uint32_t i = 0; i < n; i++)
        f->active[kept++] = number ? number[i] : i;
    f->nactive = kept;
    list_by_port(f);
}

int flows_make(struct flows *f,
               const struct mapcore_play_source *source,
               const struct mapcore_play_how *how)
{
    struct arena *memory = &f->arena, arena = {.err = memory->err};
    struct flow_routes r = open_routes(&arena, source->alloc, how);
    struct flow_demands demands = {.source = source,
                                   .has_memories = how->rates.memory > 0,
                                   .interfaces = topo_interfaces(r.topo)};
    int error = count_ports(f, source->alloc, &how->rates);

    if (error == 0)
        error = list_demands(&demands, &arena);
    if (error == 0)
        error = arena.error;
    if (error == 0 && how->rates.routing == MAPCORE_ROUTING_STATIC &&
        !source->stage)
        merge_equal(&demands);
    if (error == 0)
        error = find_ways(f, &r, &demands);
    arena_clear(&arena);
    if (error < 0)
        return error;
    f->port_first =
        arena_alloc(memory, (size_t)f->nports + 1, sizeof(*f->port_first));
    f->flow = arena_alloc(memory, f->first[f->n], sizeof(*f->flow));
    f->active = arena_alloc(memory, f->n, sizeof(*f->active));
    return memory->error;
}

void flows_clear(struct flows *f)
{
    arena_clear(&f->arena);
    free(f->port);
}
