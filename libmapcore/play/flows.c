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

/* Where ways through the network are found: by cable where they are static. */
struct flow_routes {
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
};

struct flow_ask {
    uint32_t a, b;
    uint64_t half_bytes;
    uint64_t number;
};

static uint32_t find_static(struct flow_routes *r,
                            uint32_t a,
                            uint32_t b,
                            uint32_t *link,
                            uint32_t *whole)
{
    uint32_t n = topo_split_route(r->topo, a, b, link, whole);

    link_ports_take(&r->links, a, b, link, n);
    return n;
}

static uint32_t find_equal_cost(struct flow_routes *r,
                                uint32_t a,
                                uint32_t b,
                                uint64_t flow,
                                uint32_t *link)
{
    uint32_t n = 0, at = a, nhops;
    struct rng rng;

    rng_init(&rng, r->seed, EQUAL_COST, flow);
    while ((nhops = topo_next_hops(r->topo, at, b, r->next_link, r->next)) >
           0) {
        uint32_t i = nhops > 1 ? rng_below(&rng, nhops) : 0;

        link[n++] = r->next_link[i];
        at = r->next[i];
    }
    link_ports_take(&r->links, a, b, link, n);
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
static uint32_t find_detour(struct flow_routes *r,
                            uint32_t a,
                            uint32_t b,
                            uint64_t flow)
{
    uint32_t n, there, on, by;
    struct rng rng;

    rng_init(&rng, r->seed, DETOUR, flow);
    by = rng_below(&rng, mapcore_topo_nhosts(r->topo));
    if (by == a || by == b)
        return 0;
    there = mapcore_topo_route(r->topo, a, by, r->detour);
    on = mapcore_topo_route(r->topo, by, b, r->detour + there);
    link_ports_take(&r->links, a, by, r->detour, there);
    link_ports_take(&r->links, by, b, r->detour + there, on);
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

static uint32_t find_ugal(struct flow_routes *r,
                          const struct flow_ask *flow,
                          uint32_t *link,
                          uint32_t *whole)
{
    const uint64_t half_bytes = flow->half_bytes;
    uint32_t n = find_static(r, flow->a, flow->b, link, whole);
    uint32_t round = n > 0 ? find_detour(r, flow->a, flow->b, flow->number) : 0;

    if (round > 0 && weigh(r, link, n, *whole, half_bytes) >
                         weigh(r, r->detour, round, round, half_bytes)) {
        for (n = 0; n < round; n++)
            link[n] = r->detour[n];
        *whole = n;
    }
    for (uint32_t i = 0; i < n; i++)
        r->load[link[i]] += i < *whole ? half_bytes : half_bytes / 2;
    return n;
}

/* The way of a flow between two different hosts of the topology, into
 * link[longest], each at most once; returns how many. Those behind the first
 * *whole carry half of the flow, as topo_split_route has it. Where routing
 * looks at loads, half_bytes are added to those on it. */
static uint32_t find_way(struct flow_routes *r,
                         const struct flow_ask *flow,
                         uint32_t *link,
                         uint32_t *whole)
{
    switch (r->routing) {
    case MAPCORE_ROUTING_ECMP:
        return *whole =
                   find_equal_cost(r, flow->a, flow->b, flow->number, link);
    case MAPCORE_ROUTING_ADAPTIVE:
        *whole = least_loaded_walk(r->walker, flow->a, flow->b,
                                   flow->half_bytes, link);
        link_ports_take(&r->links, flow->a, flow->b, link, *whole);
        return *whole;
    case MAPCORE_ROUTING_UGAL:
        return find_ugal(r, flow, link, whole);
    case MAPCORE_ROUTING_STATIC:
    default:
        return find_static(r, flow->a, flow->b, link, whole);
    }
}

static struct flow_routes open_routes(struct arena *memory,
                                      const struct mapcore_topo *topo,
                                      const struct mapcore_play_how *how)
{
    struct flow_routes r = {.topo = topo,
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
                       const struct mapcore_play_source *source,
                       const struct mapcore_play_how *how,
                       uint32_t from,
                       uint32_t to,
                       uint64_t bytes,
                       size_t k)
{
    const uint32_t a = source->host[from], b = source->host[to];

    if (bytes > 0 && (a != b || how->rates.memory > 0))
        out->demand[out->n++] = (struct flow_demand){
            a, b, bytes, 1, {from, to, source->stage ? source->stage[k] : 0}};
}

static int list_demands(struct flow_demands *out,
                        const struct mapcore_play_source *source,
                        const struct mapcore_play_how *how,
                        struct arena *memory)
{
    const struct mapcore_graph *graph = source->graph;
    const struct mapcore_phases *phases = source->phases;
    const size_t first = graph ? 0 : phases->first[source->phase];
    const size_t entries = graph ? graph->row[graph->ntasks]
                                 : phases->first[source->phase + 1] - first;

    if (entries >= UINT32_MAX)
        return error_set(memory->err, MAPCORE_ERANGE,
                         "%zu flows are more than can be played", entries);
    out->demand = arena_alloc(memory, entries, sizeof(*out->demand));
    if (!out->demand)
        return MAPCORE_ENOMEM;
    for (uint32_t t = 0; graph && t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            add_demand(out, source, how, t, graph->task[k], graph->bytes[k], k);
    for (size_t i = 0; !graph && i < entries; i++) {
        const struct mapcore_flow *flow = &phases->flow[first + i];

        if (flow->bytes > UINT64_MAX / 2)
            return error_set(memory->err, MAPCORE_ERANGE,
                             "%" PRIu64 " bytes from task %u to %u are more "
                             "than can be played",
                             flow->bytes, flow->from, flow->to);
        add_demand(out, source, how, flow->from, flow->to, 2 * flow->bytes, i);
    }
    return 0;
}

/* Numbers the ports. */
static int count_ports(struct flows *f,
                       const struct mapcore_alloc *alloc,
                       const struct mapcore_play_how *how)
{
    const struct mapcore_host_rates *rates = &how->rates;
    uint64_t n, nlinks;

    f->links = link_ports_of(mapcore_alloc_topo(alloc), how->rates.routing);
    f->nhosts = mapcore_alloc_nhosts(alloc);
    n = nlinks = link_ports_count(&f->links);
    f->nic = rates->nic > 0 ? (uint32_t)n : MAPCORE_NONE;
    n += rates->nic > 0 ? 2 * (uint64_t)f->nhosts : 0;
    f->memory = rates->memory > 0 ? (uint32_t)n : MAPCORE_NONE;
    n += rates->memory > 0 ? f->nhosts : 0;
    if (n >= UINT32_MAX)
        return error_set(f->arena.err, MAPCORE_ERANGE,
                         "%" PRIu64 " ports are more than can be played", n);
    f->nports = (uint32_t)n;
    f->capacity = arena_alloc(&f->arena, n, sizeof(*f->capacity));
    if (!f->capacity)
        return MAPCORE_ENOMEM;
    for (uint32_t l = 0; l < nlinks; l++)
        f->capacity[l] = link_ports_capacity(&f->links, l);
    for (uint32_t h = 0; f->nic != MAPCORE_NONE && h < 2 * f->nhosts; h++)
        f->capacity[f->nic + h] = rates->nic;
    for (uint32_t h = 0; f->memory != MAPCORE_NONE && h < f->nhosts; h++)
        f->capacity[f->memory + h] = rates->memory;
    return 0;
}

/* Where ways are found, and the ports that they have so far. */
struct ways {
    struct flow_routes routes;
    const struct mapcore_alloc *alloc;
    size_t n, capacity;
};

/* Appends the ports of a demand; those of f->n, the next element. */
static int add_ports(struct flows *f,
                     struct ways *ways,
                     const struct flow_demand *demand,
                     uint64_t number)
{
    const struct flow_ask ask = {mapcore_alloc_host(ways->alloc, demand->a),
                                 mapcore_alloc_host(ways->alloc, demand->b),
                                 demand->bytes, number};
    const size_t most = (size_t)ways->routes.longest + 2;
    uint32_t *whole = &f->whole[f->n];
    int error = array_reserve(&f->port, &ways->capacity, ways->n + most,
                              sizeof(*f->port), f->arena.err);

    if (error < 0)
        return error;
    if (demand->a == demand->b) {
        f->port[ways->n++] = f->memory + demand->a;
        *whole = 1;
        return 0;
    }
    if (f->nic != MAPCORE_NONE) {
        f->port[ways->n++] = f->nic + 2 * demand->a;
        f->port[ways->n++] = f->nic + 2 * demand->b + 1;
    }
    ways->n += find_way(&ways->routes, &ask, f->port + ways->n, whole);
    *whole += f->nic != MAPCORE_NONE ? 2 : 0;
    return 0;
}

static int find_ways(struct flows *f,
                     struct ways *ways,
                     const struct flow_demands *demands,
                     bool has_stages)
{
    struct arena *memory = &f->arena;
    const size_t n = demands->n;
    int error;

    f->left = arena_alloc(memory, n, sizeof(*f->left));
    f->members = arena_alloc(memory, n, sizeof(*f->members));
    f->whole = arena_alloc(memory, n, sizeof(*f->whole));
    f->first = arena_alloc(memory, n + 1, sizeof(*f->first));
    if (has_stages)
        f->ends = arena_alloc(memory, n, sizeof(*f->ends));
    error = memory->error;
    for (size_t i = 0; error == 0 && i < demands->n; i++) {
        const struct flow_demand *demand = &demands->demand[i];

        error = add_ports(f, ways, demand, i);
        if (error < 0 || ways->n == f->first[f->n])
            continue;
        f->left[f->n] = (double)demand->bytes / 2;
        f->members[f->n] = demand->members;
        if (has_stages)
            f->ends[f->n] = demand->ends;
        f->nmembers += demand->members;
        f->first[++f->n] = ways->n;
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
    struct ways ways = {.alloc = source->alloc};
    struct flow_demands demands = {0};
    int error = count_ports(f, source->alloc, how);

    if (error == 0)
        error = list_demands(&demands, source, how, &arena);
    ways.routes = open_routes(&arena, mapcore_alloc_topo(source->alloc), how);
    if (error == 0)
        error = arena.error;
    if (error == 0 && how->rates.routing == MAPCORE_ROUTING_STATIC &&
        !source->stage)
        merge_equal(&demands);
    if (error == 0)
        error = find_ways(f, &ways, &demands, source->stage != NULL);
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

struct mapcore_port flows_port(const struct flows *f, uint32_t port)
{
    if (f->memory != MAPCORE_NONE && port >= f->memory)
        return (struct mapcore_port){.kind = MAPCORE_PORT_MEMORY,
                                     .number = port - f->memory};
    if (f->nic != MAPCORE_NONE && port >= f->nic)
        return (struct mapcore_port){.kind = MAPCORE_PORT_NIC,
                                     .number = (port - f->nic) / 2};
    return (struct mapcore_port){.kind = MAPCORE_PORT_LINK,
                                 .number = link_ports_link(&f->links, port)};
}
