/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_tables.c - the flows of a workload by phase and by task, and the ports
 * between any two hosts */
#include "config.h"

#include "map/refine/phase_descent.h"

#include "alloc/distances.h"
#include "graph/csr.h"
#include "metric/link_ports.h"
#include "topo/walk.h"

#include <stdlib.h>

enum {
    MOST_HOSTS = 512,
    MOST_FLOWS = 1 << 20,
    MOST_LOADS = 1 << 22, /* phases x ports: 32 MiB */
};

static bool has_nics(const struct mapcore_host_rates *rates)
{
    return rates->nic > 0 || rates->message.nic > 0;
}

/* See struct phase_flow. */
static double nic_load(const struct mapcore_host_rates *rates,
                       double bytes,
                       uint64_t messages)
{
    const double seconds = (double)messages * rates->message.nic;

    return rates->nic > 0 ? bytes + seconds * rates->nic : seconds;
}

/* The messages of a graph at once, if they take anything of what is kept. */
static const struct mapcore_phases *messages_of(
    const struct mapcore_work_type *type,
    const struct mapcore_host_rates *rates)
{
    return rates->message.nic > 0 && !type->phases ? type->messages : NULL;
}

/* In a graph each edge is there from both ends: from one end to the other goes
 * half of its bytes. Its messages are flows of their own. */
static size_t count_flows(const struct mapcore_work_type *type,
                          const struct mapcore_host_rates *rates)
{
    const struct mapcore_phases *messages = messages_of(type, rates);

    return (type->phases ? type->phases->first[type->phases->n]
                         : type->graph->row[type->graph->ntasks]) +
           (messages ? messages->first[messages->n] : 0);
}

static void list_type(struct phase_tables *tables,
                      size_t *n,
                      uint32_t *phase,
                      const struct mapcore_work_type *type,
                      const struct mapcore_host_rates *rates)
{
    const struct mapcore_phases *messages = messages_of(type, rates);
    const struct mapcore_phases *phases = type->phases;
    const struct mapcore_graph *graph = type->graph;

    for (size_t p = 0; phases && p < phases->n; p++) {
        for (size_t k = phases->first[p]; k < phases->first[p + 1]; k++)
            tables->flow[(*n)++] = (struct phase_flow){
                phases->flow[k].from, phases->flow[k].to, *phase,
                (double)phases->flow[k].bytes,
                nic_load(rates, (double)phases->flow[k].bytes,
                         phases->flow[k].messages)};
        tables->scale[*phase] = type->scale;
        tables->phase[++*phase] = *n;
    }
    if (phases)
        return;
    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++)
            tables->flow[(*n)++] = (struct phase_flow){
                t, graph->task[k], *phase, (double)graph->bytes[k] / 2,
                nic_load(rates, (double)graph->bytes[k] / 2, 0)};
    for (size_t k = 0; messages && k < messages->first[messages->n]; k++)
        tables->flow[(*n)++] = (struct phase_flow){
            messages->flow[k].from, messages->flow[k].to, *phase, 0,
            nic_load(rates, 0, messages->flow[k].messages)};
    tables->scale[*phase] = type->scale;
    tables->phase[++*phase] = *n;
}

/* Types that take no time by any mapping are left out. */
static int list_flows(struct phase_tables *tables,
                      const struct mapcore_workload *work,
                      size_t nflows,
                      struct arena *arena)
{
    const size_t nphases = tables->nphases;
    size_t n = 0;
    uint32_t phase = 0;

    tables->flow = arena_alloc(arena, nflows, sizeof(*tables->flow));
    tables->scale = arena_alloc(arena, nphases, sizeof(*tables->scale));
    tables->phase = arena_alloc(arena, nphases + 1, sizeof(*tables->phase));
    for (size_t i = 0; !arena->error && i < work->n; i++)
        if (work->type[i].scale > 0)
            list_type(tables, &n, &phase, &work->type[i], &work->rates);
    return arena->error;
}

/* A unit of several tasks sends to itself: one flow of one task. */
static bool is_inside(const struct phase_flow *flow)
{
    return flow->from == flow->to;
}

static void add_end(struct phase_tables *tables,
                    size_t flow,
                    uint32_t task,
                    uint32_t other,
                    uint32_t direction)
{
    const uint64_t key =
        ((uint64_t)tables->flow[flow].phase << 1 | direction) << 32 | other;

    tables->end[tables->row[task + 1]++] =
        (struct phase_end){key, (uint32_t)flow, other};
}

static int compare_ends(const void *a, const void *b)
{
    const struct phase_end *x = a, *y = b;

    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    return x->flow < y->flow ? -1 : x->flow > y->flow;
}

static int list_by_task(struct phase_tables *tables, struct arena *arena)
{
    const size_t nflows = tables->phase[tables->nphases];

    tables->row =
        arena_alloc(arena, (size_t)tables->ntasks + 2, sizeof(*tables->row));
    tables->end = arena_alloc(arena, 2 * nflows, sizeof(*tables->end));
    if (arena->error)
        return MAPCORE_ENOMEM;
    for (size_t f = 0; f < nflows; f++) {
        tables->row[tables->flow[f].from + 2]++;
        tables->row[tables->flow[f].to + 2] += !is_inside(&tables->flow[f]);
    }
    for (uint32_t t = 2; t <= tables->ntasks; t++)
        tables->row[t] += tables->row[t - 1];
    for (size_t f = 0; f < nflows; f++) {
        const struct phase_flow *flow = &tables->flow[f];

        add_end(tables, f, flow->from, flow->to, 0);
        if (!is_inside(flow))
            add_end(tables, f, flow->to, flow->from, 1);
    }
    for (uint32_t t = 0; t < tables->ntasks; t++) {
        const size_t n = tables->row[t + 1] - tables->row[t];

        if (n > 1)
            qsort(tables->end + tables->row[t], n, sizeof(*tables->end),
                  compare_ends);
        tables->most_ends = n > tables->most_ends ? n : tables->most_ends;
    }
    return 0;
}

/* Of a pair of hosts, behind the ports of those before. Returns how many ports;
 * *whole: how many of them carry all. */
static uint32_t add_route(uint32_t *whole,
                          struct phase_tables *tables,
                          size_t pair,
                          const struct map_problem *problem,
                          const struct mapcore_host_rates *rates)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(problem->alloc);
    const struct link_ports links = link_ports_of(topo, rates->routing);
    const uint32_t nic = tables->nlinks;
    const uint32_t from = (uint32_t)(pair / tables->nhosts);
    const uint32_t to = (uint32_t)(pair % tables->nhosts);
    const uint32_t a = mapcore_alloc_host(problem->alloc, from);
    const uint32_t b = mapcore_alloc_host(problem->alloc, to);
    uint32_t nports = 0, length;
    uint32_t *port = tables->port + tables->first[pair];

    if (topo_is_one_node(topo_interfaces(topo), from, to)) {
        if (rates->memory > 0)
            port[nports++] =
                nic + 2 * tables->nhosts + from - from % topo_interfaces(topo);
        return *whole = nports;
    }
    if (tables->has_nics) {
        port[nports++] = nic + 2 * from;
        port[nports++] = nic + 2 * to + 1;
    }
    length = topo_split_route(topo, a, b, port + nports, whole);
    link_ports_take(&links, a, b, port + nports, length);
    *whole = nports + (rates->ties_are_whole ? length : *whole);
    return nports + length;
}

static int list_routes(struct phase_tables *tables,
                       const struct map_problem *problem,
                       const struct mapcore_host_rates *rates,
                       struct arena *arena)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(problem->alloc);
    const uint32_t nhosts = tables->nhosts;
    const size_t longest = 2 * (size_t)mapcore_topo_diameter(topo);
    const size_t npairs = (size_t)nhosts * nhosts;
    const struct link_ports links = link_ports_of(topo, rates->routing);
    const uint32_t nic = tables->nlinks;
    uint32_t whole = 0;
    size_t capacity = 0, n = 0;

    tables->first = arena_alloc(arena, npairs + 1, sizeof(*tables->first));
    tables->half = arena_alloc(arena, npairs, sizeof(*tables->half));
    tables->inverse =
        arena_alloc(arena, tables->nports, sizeof(*tables->inverse));
    for (size_t pair = 0; !arena->error && pair < npairs; pair++) {
        arena->error = array_reserve(&tables->port, &capacity, n + longest + 2,
                                     sizeof(*tables->port), arena->err);
        if (arena->error)
            break;
        n += add_route(&whole, tables, pair, problem, rates);
        tables->half[pair] = tables->first[pair] + whole;
        tables->first[pair + 1] = n;
    }
    for (uint32_t p = 0; !arena->error && p < tables->nports; p++)
        tables->inverse[p] =
            1 / (p < nic                ? link_ports_capacity(&links, p)
                 : p < nic + 2 * nhosts ? (rates->nic > 0 ? rates->nic : 1)
                 : rates->memory > 0    ? rates->memory
                                        : 1);
    return arena->error;
}

static int list_near(struct phase_tables *tables,
                     const struct map_problem *problem,
                     struct arena *arena)
{
    const uint32_t nhosts = tables->nhosts;
    uint16_t *row = arena_alloc(arena, nhosts, sizeof(*row));

    tables->near =
        arena_alloc(arena, (size_t)nhosts * PHASE_NEAR, sizeof(*tables->near));
    for (uint32_t h = 0; !arena->error && h < nhosts; h++) {
        uint32_t *near = tables->near + (size_t)h * PHASE_NEAR;
        uint32_t n =
            map_nearest(near, PHASE_NEAR,
                        distances_row(alloc_distances(problem->alloc), h, row),
                        nhosts, h, h);

        for (uint32_t i = n; i < PHASE_NEAR; i++)
            near[i] = n > 0 ? near[i % n] : h;
    }
    return arena->error;
}

/* Counts phases, and flows into *nflows. */
static bool is_worth(struct phase_tables *tables,
                     size_t *nflows,
                     const struct mapcore_workload *work)
{
    uint64_t nphases = 0;

    *nflows = 0;
    for (size_t i = 0; i < work->n; i++)
        if (work->type[i].scale > 0) {
            nphases +=
                work->type[i].phases ? (uint32_t)work->type[i].phases->n : 1;
            *nflows += count_flows(&work->type[i], &work->rates);
        }
    tables->nphases = (uint32_t)nphases;
    return tables->nhosts > 1 && tables->nhosts <= MOST_HOSTS &&
           *nflows <= MOST_FLOWS && nphases > 0 &&
           nphases * tables->nports <= MOST_LOADS;
}

int phase_tables_create(struct phase_tables **out,
                        const struct map_problem *problem,
                        const struct mapcore_workload *work,
                        struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(problem->alloc);
    struct arena arena = {.err = err};
    struct phase_tables *tables = arena_alloc(&arena, 1, sizeof(*tables));
    const struct link_ports links = link_ports_of(topo, work->rates.routing);
    uint64_t nports = link_ports_count(&links);
    size_t nflows;

    *out = NULL;
    if (!tables)
        return MAPCORE_ENOMEM;
    tables->ntasks = problem->graph->ntasks;
    tables->nhosts = mapcore_alloc_nhosts(problem->alloc);
    tables->has_nics = has_nics(&work->rates);
    tables->traffic = work->traffic;
    tables->nlinks = nports < UINT32_MAX ? (uint32_t)nports : UINT32_MAX;
    nports += 3 * (uint64_t)tables->nhosts;
    tables->nports = nports < UINT32_MAX ? (uint32_t)nports : UINT32_MAX;
    if (is_worth(tables, &nflows, work) &&
        list_flows(tables, work, nflows, &arena) == 0 &&
        list_by_task(tables, &arena) == 0 &&
        list_near(tables, problem, &arena) == 0 &&
        list_routes(tables, problem, &work->rates, &arena) == 0)
        *out = tables;
    tables->arena = arena;
    if (!*out)
        phase_tables_destroy(tables);
    return arena.error;
}

void phase_tables_destroy(struct phase_tables *tables)
{
    struct arena arena;

    if (!tables)
        return;
    arena = tables->arena;
    free(tables->port);
    arena_clear(&arena);
}
