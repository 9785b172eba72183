/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cost.c - the cost functions of GreedyMap: hop-bytes, maximum hop-bytes and
 * the busiest link, each kept up as tasks are placed */
#include "config.h"

#include "map/greedy/greedymap.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "graph/csr.h"
#include "topo/walk.h"

/* A host that the task at hand talks to: all its placed neighbours there. */
struct talk {
    uint32_t host;
    uint64_t bytes;
    /* LINK: the routes there and back, on a tree there; how many links of each
     * carry all of its half, and how many half of that. */
    struct {
        uint32_t whole, half;
    } route[2];
};

struct cost {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    struct distances *rows;
    enum cost_kind kind;
    unsigned shift;    /* bytes are divided by 2^shift in hop-bytes */
    uint32_t *host;    /* [ntasks], borrowed */
    uint16_t *scratch; /* [nhosts] */

    struct talk *talk; /* the ntalk hosts of the task at hand */
    uint32_t ntalk;
    uint32_t *seat; /* [nhosts], 1 + index in talk, or 0 */

    uint64_t worst;      /* MAX, LINK: of the partial solution */
    uint64_t *hop_bytes; /* MAX: [ntasks] of each placed task */
    uint64_t *peak;      /* MAX: [nhosts], a row of work */
    uint64_t *load;      /* LINK: [nlinks], as link_loads.h counts */
    int nroutes;         /* LINK: of an edge */
    uint32_t *route;     /* LINK: links of the routes of the task at hand */
    size_t laid;         /* LINK: how many */
};

/* Links on the routes, there and back, of a task that talks to as many hosts
 * as any. */
static size_t longest_routes(const struct cost *cost)
{
    const struct mapcore_graph *graph = cost->graph;
    size_t hosts = mapcore_alloc_nhosts(cost->alloc), most = 0;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        if (graph->row[t + 1] - graph->row[t] > most)
            most = graph->row[t + 1] - graph->row[t];
    return (most < hosts ? most : hosts) * 4 *
           mapcore_topo_diameter(mapcore_alloc_topo(cost->alloc));
}

struct cost *cost_create(const struct map_problem *problem,
                         enum cost_kind kind,
                         uint32_t *host,
                         struct arena *arena)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(problem->alloc);
    uint32_t nhosts = mapcore_alloc_nhosts(problem->alloc);
    uint32_t ntasks = problem->graph->ntasks;
    struct cost *cost = arena_alloc(arena, 1, sizeof(*cost));

    if (!cost)
        return NULL;
    *cost = (struct cost){
        .graph = problem->graph,
        .alloc = problem->alloc,
        .rows = alloc_distances(problem->alloc),
        .kind = kind,
        .host = host,
        .scratch = arena_alloc(arena, nhosts, sizeof(*cost->scratch)),
        .talk = arena_alloc(arena, nhosts, sizeof(*cost->talk)),
        .seat = arena_alloc(arena, nhosts, sizeof(*cost->seat)),
        .nroutes = mapcore_topo_link_directions(topo) == 2 ? 1 : 2,
    };
    if (kind == COST_MAX) {
        cost->hop_bytes = arena_alloc(arena, ntasks, sizeof(*cost->hop_bytes));
        cost->peak = arena_alloc(arena, nhosts, sizeof(*cost->peak));
    }
    if (kind == COST_LINK) {
        cost->load =
            arena_alloc(arena, mapcore_topo_nlinks(topo), sizeof(*cost->load));
        cost->route =
            arena_alloc(arena, longest_routes(cost), sizeof(*cost->route));
    }
    while (cost->graph->total >> cost->shift >
           ((uint64_t)1 << 62) / (mapcore_topo_diameter(topo) + 1))
        cost->shift++;
    for (uint32_t t = 0; t < ntasks; t++)
        host[t] = MAPCORE_NONE;
    return arena->error ? NULL : cost;
}

/* Adds up the placed neighbours of a task per host. */
static void gather(struct cost *cost, uint32_t task)
{
    const struct mapcore_graph *graph = cost->graph;

    cost->ntalk = 0;
    for (size_t k = graph->row[task]; k < graph->row[task + 1]; k++) {
        uint32_t host = cost->host[graph->task[k]];

        if (host == MAPCORE_NONE)
            continue;
        if (cost->seat[host] == 0) {
            cost->talk[cost->ntalk] = (struct talk){.host = host};
            cost->seat[host] = ++cost->ntalk;
        }
        cost->talk[cost->seat[host] - 1].bytes += graph->bytes[k];
    }
    for (uint32_t i = 0; i < cost->ntalk; i++)
        cost->seat[cost->talk[i].host] = 0;
}

/* Row by row of the distance matrix, so that the inner loop runs through
 * memory once a neighbour. */
static size_t evaluate_hop(uint64_t *out,
                           struct cost *cost,
                           uint32_t task,
                           const uint32_t *candidate,
                           uint32_t n)
{
    gather(cost, task);
    for (uint32_t i = 0; i < n; i++)
        out[i] = 0;
    for (uint32_t j = 0; j < cost->ntalk; j++) {
        const uint16_t *row =
            distances_row(cost->rows, cost->talk[j].host, cost->scratch);
        uint64_t bytes = cost->talk[j].bytes >> cost->shift;

        for (uint32_t i = 0; i < n; i++)
            out[i] += bytes * row[candidate[i]];
    }
    return (size_t)n * (cost->ntalk + 1);
}

/* Only the task and its placed neighbours change: their maximum and the one so
 * far make the new one. */
static size_t evaluate_max(uint64_t *out,
                           struct cost *cost,
                           uint32_t task,
                           const uint32_t *candidate,
                           uint32_t n)
{
    const struct mapcore_graph *graph = cost->graph;
    size_t rows = 1;

    for (uint32_t i = 0; i < n; i++) {
        out[i] = 0;
        cost->peak[i] = cost->worst;
    }
    for (size_t k = graph->row[task]; k < graph->row[task + 1]; k++) {
        uint32_t other = graph->task[k];
        uint64_t bytes = graph->bytes[k] >> cost->shift, had;
        const uint16_t *row;

        if (cost->host[other] == MAPCORE_NONE)
            continue;
        row = distances_row(cost->rows, cost->host[other], cost->scratch);
        had = cost->hop_bytes[other];
        rows++;
        for (uint32_t i = 0; i < n; i++) {
            uint64_t more = bytes * row[candidate[i]];

            out[i] += more;
            if (had + more > cost->peak[i])
                cost->peak[i] = had + more;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        if (cost->peak[i] > out[i])
            out[i] = cost->peak[i];
    return rows * n;
}

/* Puts bytes on the links of a host's routes, or, of -bytes, takes them off.
 * Returns how many there are; *peak: no less than the highest load that one
 * then has. */
static size_t carry(uint64_t *peak,
                    struct cost *cost,
                    const struct talk *talk,
                    const uint32_t *route,
                    uint64_t bytes)
{
    const uint32_t *link = route;

    for (int way = 0; way < cost->nroutes; way++) {
        const uint32_t *half = link + talk->route[way].whole;
        const uint32_t *end = half + talk->route[way].half;

        for (; link < end; link++) {
            uint64_t *load = &cost->load[*link];

            *load += link < half ? 2 * bytes : bytes;
            if (*load > *peak)
                *peak = *load;
        }
    }
    return (size_t)(link - route);
}

/* Puts the bytes between host and the j-th host it talks to on their links:
 * half each way, or on a tree, where both ways share their cables, both halves
 * on one way. Returns the highest load that a link then has. */
static uint64_t lay(struct cost *cost, uint32_t host, uint32_t j)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(cost->alloc);
    struct talk *talk = &cost->talk[j];
    uint32_t a = mapcore_alloc_host(cost->alloc, host);
    uint32_t b = mapcore_alloc_host(cost->alloc, talk->host);
    uint32_t *route = cost->route + cost->laid, *end = route;
    uint64_t peak = 0;

    for (int way = 0; way < cost->nroutes; way++) {
        uint32_t n = topo_split_route(topo, way ? b : a, way ? a : b, end,
                                      &talk->route[way].whole);

        talk->route[way].half = n - talk->route[way].whole;
        end += n;
    }
    cost->laid += carry(&peak, cost, talk, route, talk->bytes);
    return peak;
}

/* Takes the bytes off again that lay put on links for the first n hosts. */
static void lift(struct cost *cost, uint32_t n)
{
    const uint32_t *route = cost->route;
    uint64_t peak = 0;

    for (uint32_t j = 0; j < n; j++)
        route +=
            carry(&peak, cost, &cost->talk[j], route, -cost->talk[j].bytes);
    cost->laid = 0;
}

/* Lays the traffic of one candidate after the other on the links and takes it
 * off again; gives one up as soon as it is worse than the best. */
static size_t evaluate_link(uint64_t *out,
                            struct cost *cost,
                            uint32_t task,
                            const uint32_t *candidate,
                            uint32_t n)
{
    uint64_t best = UINT64_MAX;
    size_t steps = n;

    gather(cost, task);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t peak = cost->worst;
        uint32_t j;

        for (j = 0; j < cost->ntalk && peak <= best; j++) {
            uint64_t high = lay(cost, candidate[i], j);

            if (high > peak)
                peak = high;
        }
        steps += j + 2 * cost->laid;
        lift(cost, j);
        out[i] = peak <= best ? peak : UINT64_MAX;
        if (peak < best)
            best = peak;
    }
    return steps;
}

size_t cost_evaluate(uint64_t *out,
                     struct cost *cost,
                     uint32_t task,
                     const uint32_t *candidate,
                     uint32_t n)
{
    switch (cost->kind) {
    case COST_MAX:
        return evaluate_max(out, cost, task, candidate, n);
    case COST_LINK:
        return evaluate_link(out, cost, task, candidate, n);
    case COST_HOP:
        break;
    }
    return evaluate_hop(out, cost, task, candidate, n);
}

static void place_max(struct cost *cost, uint32_t task, uint32_t host)
{
    const struct mapcore_graph *graph = cost->graph;
    uint64_t sum = 0;

    for (size_t k = graph->row[task]; k < graph->row[task + 1]; k++) {
        uint32_t other = graph->task[k];
        uint64_t more;

        if (cost->host[other] == MAPCORE_NONE)
            continue;
        more = (graph->bytes[k] >> cost->shift) *
               mapcore_alloc_distance(cost->alloc, host, cost->host[other]);
        sum += more;
        cost->hop_bytes[other] += more;
        if (cost->hop_bytes[other] > cost->worst)
            cost->worst = cost->hop_bytes[other];
    }
    cost->hop_bytes[task] = sum;
    if (sum > cost->worst)
        cost->worst = sum;
}

static void place_link(struct cost *cost, uint32_t task, uint32_t host)
{
    gather(cost, task);
    for (uint32_t j = 0; j < cost->ntalk; j++) {
        uint64_t high = lay(cost, host, j);

        cost->laid = 0;
        if (high > cost->worst)
            cost->worst = high;
    }
}

void cost_place(struct cost *cost, uint32_t task, uint32_t host)
{
    if (cost->kind == COST_MAX)
        place_max(cost, task, host);
    if (cost->kind == COST_LINK)
        place_link(cost, task, host);
    cost->host[task] = host;
}
