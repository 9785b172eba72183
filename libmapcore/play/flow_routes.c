/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flow_routes.c - static, equal-cost, adaptive and non-minimal ways, one flow
 * after the other */
#include "config.h"

#include "play/flow_routes.h"

#include "base/array.h"
#include "base/rng.h"
#include "metric/link_loads.h"
#include "topo/walk.h"

#include <stdlib.h>

/* Purposes of random streams. */
enum { EQUAL_COST = 0xec39, DETOUR = 0x06a1 };

struct flow_routes {
    const struct mapcore_topo *topo;
    enum mapcore_routing routing;
    uint64_t seed;
    uint32_t directions;
    uint64_t *load; /* half bytes; UGAL: [nlinks * directions]; adaptive:
                       [nlinks], the walker's */
    struct least_loaded *walker; /* adaptive */
    uint32_t *next_link, *next;  /* [topo_max_next_hops], ECMP */
    uint32_t *detour;            /* [2 * diameter], UGAL */
    uint64_t *seen, now;         /* [nlinks * directions], UGAL */
};

static uint32_t find_static(struct flow_routes *r,
                            uint32_t a,
                            uint32_t b,
                            uint32_t *link,
                            uint32_t *whole)
{
    uint32_t n = topo_split_route(r->topo, a, b, link, whole);

    link_directions(r->topo, a, link, n);
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
    link_directions(r->topo, a, link, n);
    return n;
}

/* The host's own link at the end of the way to it, and that at the beginning of
 * the way from it, belong to no way that only passes its switch. */
static uint32_t join_ways(const struct flow_routes *r,
                          uint32_t *link,
                          uint32_t there,
                          uint32_t on)
{
    uint32_t in[2], out[2], dirs = r->directions;

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
    link_directions(r->topo, a, r->detour, there);
    link_directions(r->topo, by, r->detour + there, on);
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
            mapcore_topo_link_capacity(r->topo, link[i] / r->directions);

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

uint32_t flow_routes_longest(const struct flow_routes *r)
{
    return 2 * mapcore_topo_diameter(r->topo);
}

uint32_t flow_routes_find(struct flow_routes *r,
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
        link_directions(r->topo, flow->a, link, *whole);
        return *whole;
    case MAPCORE_ROUTING_UGAL:
        return find_ugal(r, flow, link, whole);
    case MAPCORE_ROUTING_STATIC:
    default:
        return find_static(r, flow->a, flow->b, link, whole);
    }
}

void flow_routes_close(struct flow_routes *r)
{
    if (!r)
        return;
    least_loaded_close(r->walker);
    free(r->load);
    free(r->next_link);
    free(r->next);
    free(r->detour);
    free(r->seen);
    free(r);
}

static int open_routing(struct flow_routes *r, struct mapcore_error *err)
{
    size_t nlinks = mapcore_topo_nlinks(r->topo), n = nlinks * r->directions;
    uint32_t most = topo_max_next_hops(r->topo);

    if (r->routing == MAPCORE_ROUTING_ECMP) {
        r->next_link = array_alloc(most, sizeof(*r->next_link), err);
        r->next = array_alloc(most, sizeof(*r->next), err);
        return r->next_link && r->next ? 0 : MAPCORE_ENOMEM;
    }
    if (r->routing == MAPCORE_ROUTING_STATIC)
        return 0;
    r->load = array_alloc(n, sizeof(*r->load), err);
    if (!r->load)
        return MAPCORE_ENOMEM;
    if (r->routing == MAPCORE_ROUTING_ADAPTIVE)
        return least_loaded_open(&r->walker, r->topo, r->load, err);
    r->seen = array_alloc(n, sizeof(*r->seen), err);
    r->detour = array_alloc(flow_routes_longest(r), sizeof(*r->detour), err);
    return r->seen && r->detour ? 0 : MAPCORE_ENOMEM;
}

int flow_routes_open(struct flow_routes **out,
                     const struct mapcore_topo *topo,
                     enum mapcore_routing routing,
                     uint64_t seed,
                     struct mapcore_error *err)
{
    struct flow_routes *r = array_alloc(1, sizeof(*r), err);
    int error;

    if (!r)
        return MAPCORE_ENOMEM;
    r->topo = topo;
    r->routing = routing;
    r->seed = seed;
    r->directions = mapcore_topo_link_directions(topo);
    if ((error = open_routing(r, err)) < 0) {
        flow_routes_close(r);
        return error;
    }
    *out = r;
    return 0;
}
