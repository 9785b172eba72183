/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* link_loads.c - loads of links by static routes: link by link, or on a torus
 * by where a route begins and ends in each of its rings; and the second load
 * model of ICS'17: shortest paths chosen one after the other by what their
 * links carry already */
#include "config.h"

#include "metric/link_loads.h"

#include "graph/csr.h"
#include "topo/shape.h"
#include "topo/walk.h"

struct link_loads {
    const struct mapcore_topo *topo;
    uint64_t *load; /* [nlinks]; on a torus of rings what each link carries more
                       than the one before it in its ring and direction, modulo
                       2^64, until the end */
    uint32_t *route; /* [2 * diameter], NULL: rings */
    uint32_t units;  /* that half of an edge's byte puts on a link, */
    uint32_t tied;   /* and on either way of a tie */
    struct topo_shape shape;
    uint32_t nrouters; /* of a torus of rings */
};

struct link_loads *link_loads_open(struct arena *arena,
                                   const struct mapcore_topo *topo,
                                   uint64_t *load,
                                   size_t nroutes,
                                   bool ties_are_whole)
{
    struct link_loads *loads = arena_alloc(arena, 1, sizeof(*loads));
    const uint32_t nlinks = mapcore_topo_nlinks(topo);

    if (!loads)
        return NULL;
    loads->topo = topo;
    loads->load = load;
    loads->units = LINK_LOADS_UNITS / 2 / mapcore_topo_link_directions(topo);
    loads->tied = ties_are_whole ? loads->units : 1;
    topo_shape(&loads->shape, topo);
    /* All links must be gone through at the end. */
    if (loads->shape.kind == TOPO_TORUS && nroutes >= nlinks)
        loads->nrouters = nlinks / 2 / loads->shape.ndims;
    else
        loads->route = arena_alloc(arena, mapcore_topo_diameter(topo),
                                   2 * sizeof(*loads->route));
    return arena->error == 0 ? loads : NULL;
}

/* The links of one direction at places begin .. end-1 of a ring, the first of
 * which is at first, and the next ones step further on. */
static void add_span(uint64_t *first,
                     size_t step,
                     uint32_t size,
                     uint32_t begin,
                     uint32_t end,
                     uint64_t amount)
{
    first[begin * step] += amount;
    if (end < size)
        first[end * step] -= amount;
}

/* What goes along a ring is on the links at the places that it leaves. */
static void add_rings(struct link_loads *loads,
                      uint32_t a,
                      uint32_t b,
                      uint64_t bytes)
{
    const struct topo_shape *shape = &loads->shape;
    uint32_t ndims = shape->ndims, router = 0;
    const uint32_t *from = shape->coordinates + (size_t)a * ndims;
    const uint32_t *to = shape->coordinates + (size_t)b * ndims;

    for (uint32_t i = 0; i < ndims; i++)
        router += from[i] * shape->stride[i];
    for (uint32_t i = 0; i < ndims; i++) {
        uint32_t x = from[i], y = to[i], size = shape->dims[i];
        size_t step = (size_t)shape->stride[i] * ndims * 2;
        uint64_t *first, amount;
        bool is_tied, goes_up;

        if (x == y)
            continue;
        is_tied = topo_ring_is_tied(x, y, shape->ring[i]);
        goes_up = topo_ring_goes_up(x, y, shape->ring[i]);
        amount = (is_tied ? loads->tied : loads->units) * bytes;
        router -= x * shape->stride[i];
        first = &loads->load[((size_t)router * ndims + i) * 2];
        if (goes_up) {
            add_span(first, step, size, x, y > x ? y : size, amount);
            if (y < x && y > 0)
                add_span(first, step, size, 0, y, amount);
        }
        if (!goes_up || is_tied) {
            first++;
            add_span(first, step, size, y < x ? y + 1 : 0, x + 1, amount);
            if (y > x && y + 1 < size)
                add_span(first, step, size, y + 1, size, amount);
        }
        router += y * shape->stride[i];
    }
}

void link_loads_add(struct link_loads *loads,
                    uint32_t a,
                    uint32_t b,
                    uint64_t bytes)
{
    uint32_t n, whole;

    if (!loads->route) {
        add_rings(loads, a, b, bytes);
        return;
    }
    n = topo_split_route(loads->topo, a, b, loads->route, &whole);
    for (uint32_t k = 0; k < whole; k++)
        loads->load[loads->route[k]] += loads->units * bytes;
    for (uint32_t k = whole; k < n; k++)
        loads->load[loads->route[k]] += loads->tied * bytes;
}

/* Routers ascend along every ring. */
void link_loads_end(struct link_loads *loads)
{
    const struct topo_shape *shape = &loads->shape;
    size_t at = 0;

    for (uint32_t router = 0; router < loads->nrouters; router++) {
        for (uint32_t i = 0; i < shape->ndims; i++, at += 2) {
            size_t step = (size_t)shape->stride[i] * shape->ndims * 2;

            if (router / shape->stride[i] % shape->dims[i] == 0)
                continue;
            loads->load[at] += loads->load[at - step];
            loads->load[at + 1] += loads->load[at + 1 - step];
        }
    }
}

/* How a vertex is best reached in the walk at hand. */
struct reach {
    uint64_t walk; /* number of the walk that reached it */
    double most, sum;
    uint32_t from, link;
};

struct least_loaded {
    const struct mapcore_topo *topo;
    uint64_t *load;      /* [nlinks], in the caller's unit */
    struct reach *reach; /* [nhosts + nswitches] */
    uint32_t *front[2];  /* [nhosts + nswitches] */
    uint32_t *link, *to; /* [topo_max_next_hops] */
    uint64_t walk;
};

static bool is_better(const struct reach *a, const struct reach *b)
{
    if (a->most < b->most)
        return true;
    return a->most <= b->most && a->sum < b->sum;
}

/* Goes one step on from all of front[0]; front[1] takes what is reached. */
static uint32_t spread(struct least_loaded *w,
                       uint32_t n,
                       uint32_t b,
                       uint32_t *end)
{
    uint32_t reached = 0;

    for (uint32_t i = 0; i < n; i++) {
        uint32_t at = w->front[0][i];
        uint32_t nhops = topo_next_hops(w->topo, at, b, w->link, w->to);

        if (nhops == 0)
            *end = at;
        for (uint32_t k = 0; k < nhops; k++) {
            struct reach *reach = &w->reach[w->to[k]];
            double time = (double)w->load[w->link[k]] /
                          mapcore_topo_link_capacity(w->topo, w->link[k]);
            double most = w->reach[at].most;
            struct reach next = {w->walk, time > most ? time : most,
                                 w->reach[at].sum + time, at, w->link[k]};

            if (reach->walk != w->walk)
                w->front[1][reached++] = w->to[k];
            if (reach->walk != w->walk || is_better(&next, reach))
                *reach = next;
        }
    }
    return reached;
}

uint32_t least_loaded_walk(struct least_loaded *w,
                           uint32_t a,
                           uint32_t b,
                           uint64_t amount,
                           uint32_t *links)
{
    uint32_t n = 1, end = a, length = 0;

    w->reach[a] = (struct reach){.walk = ++w->walk, .from = MAPCORE_NONE};
    w->front[0][0] = a;
    while (n > 0) {
        uint32_t *kept = w->front[0];

        n = spread(w, n, b, &end);
        w->front[0] = w->front[1];
        w->front[1] = kept;
    }
    for (uint32_t at = end; w->reach[at].from != MAPCORE_NONE;
         at = w->reach[at].from)
        length++;
    for (uint32_t i = length; i-- > 0; end = w->reach[end].from) {
        w->load[w->reach[end].link] += amount;
        if (links)
            links[i] = w->reach[end].link;
    }
    return length;
}

struct least_loaded *least_loaded_open(struct arena *arena,
                                       const struct mapcore_topo *topo,
                                       uint64_t *load)
{
    const size_t n = (size_t)mapcore_topo_nhosts(topo) + topo_nswitches(topo);
    const uint32_t most = topo_max_next_hops(topo);
    struct least_loaded *w = arena_alloc(arena, 1, sizeof(*w));

    if (!w)
        return NULL;
    w->topo = topo;
    w->load = load;
    w->reach = arena_alloc(arena, n, sizeof(*w->reach));
    w->front[0] = arena_alloc(arena, n, sizeof(*w->front[0]));
    w->front[1] = arena_alloc(arena, n, sizeof(*w->front[1]));
    w->link = arena_alloc(arena, most, sizeof(*w->link));
    w->to = arena_alloc(arena, most, sizeof(*w->to));
    return arena->error == 0 ? w : NULL;
}

int least_loaded_add(uint64_t *load,
                     const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     struct arena *arena)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    /* Each way takes half of an edge. */
    const uint32_t units =
        LINK_LOADS_UNITS / 2 / mapcore_topo_link_directions(topo);
    struct least_loaded *w = least_loaded_open(arena, topo, load);

    for (uint32_t t = 0; w && t < graph->ntasks; t++) {
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t u = graph->task[i];

            if (u <= t || host[u] == host[t] || graph->bytes[i] == 0)
                continue;
            uint32_t a = mapcore_alloc_host(alloc, host[t]);
            uint32_t b = mapcore_alloc_host(alloc, host[u]);
            least_loaded_walk(w, a, b, units * graph->bytes[i], NULL);
            least_loaded_walk(w, b, a, units * graph->bytes[i], NULL);
        }
    }
    return arena->error;
}
