/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flows.c - from edges to flows, equal ones together, and their ways as ports
 */
#include "config.h"

#include "play/flows.h"

#include "base/array.h"
#include "graph/csr.h"
#include "play/flow_routes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

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

static void list_edges(struct flow_demands *out,
                       const struct mapcore_play_source *source,
                       bool has_memory)
{
    const struct mapcore_graph *graph = source->graph;
    const uint32_t *host = source->host;

    for (uint32_t t = 0; t < graph->ntasks; t++)
        for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
            uint32_t a = host[t], b = host[graph->task[k]];

            if (a != b || has_memory)
                out->demand[out->n++] = (struct flow_demand){
                    a,
                    b,
                    graph->bytes[k],
                    1,
                    {t, graph->task[k], source->stage ? source->stage[k] : 0}};
        }
}

static int list_demands(struct flow_demands *out,
                        const struct mapcore_play_source *source,
                        bool has_memory,
                        struct mapcore_error *err)
{
    const struct mapcore_graph *graph = source->graph;
    const struct mapcore_phases *phases = source->phases;
    const uint32_t *host = source->host;
    const size_t first = graph ? 0 : phases->first[source->phase];
    const size_t entries = graph ? graph->row[graph->ntasks]
                                 : phases->first[source->phase + 1] - first;

    if (entries >= UINT32_MAX)
        return error_set(err, MAPCORE_ERANGE,
                         "%zu flows are more than can be played", entries);
    out->demand = array_alloc(entries, sizeof(*out->demand), err);
    if (!out->demand)
        return MAPCORE_ENOMEM;
    if (graph)
        list_edges(out, source, has_memory);
    for (size_t i = 0; !graph && i < entries; i++) {
        const struct mapcore_flow *flow = &phases->flow[first + i];

        if (flow->bytes > UINT64_MAX / 2)
            return error_set(err, MAPCORE_ERANGE,
                             "%" PRIu64 " bytes from task %u to %u are more "
                             "than can be played",
                             flow->bytes, flow->from, flow->to);
        if (flow->bytes > 0 &&
            (host[flow->from] != host[flow->to] || has_memory))
            out->demand[out->n++] = (struct flow_demand){
                host[flow->from],
                host[flow->to],
                2 * flow->bytes,
                1,
                {flow->from, flow->to, source->stage ? source->stage[i] : 0}};
    }
    return 0;
}

/* Numbers the ports. */
static int count_ports(struct flows *f,
                       const struct mapcore_alloc *alloc,
                       const struct mapcore_host_rates *rates,
                       struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint64_t n;

    f->directions = mapcore_topo_link_directions(topo);
    f->nlinks = mapcore_topo_nlinks(topo);
    f->nhosts = mapcore_alloc_nhosts(alloc);
    n = (uint64_t)f->nlinks * f->directions;
    f->nic = rates->nic > 0 ? (uint32_t)n : MAPCORE_NONE;
    n += rates->nic > 0 ? 2 * (uint64_t)f->nhosts : 0;
    f->memory = rates->memory > 0 ? (uint32_t)n : MAPCORE_NONE;
    n += rates->memory > 0 ? f->nhosts : 0;
    if (n >= UINT32_MAX)
        return error_set(err, MAPCORE_ERANGE,
                         "%" PRIu64 " ports are more than can be played", n);
    f->nports = (uint32_t)n;
    f->capacity = array_alloc(n, sizeof(*f->capacity), err);
    if (!f->capacity)
        return MAPCORE_ENOMEM;
    for (uint32_t l = 0; l < f->nlinks; l++)
        for (uint32_t d = 0; d < f->directions; d++)
            f->capacity[l * f->directions + d] =
                mapcore_topo_link_capacity(topo, l);
    for (uint32_t h = 0; f->nic != MAPCORE_NONE && h < 2 * f->nhosts; h++)
        f->capacity[f->nic + h] = rates->nic;
    for (uint32_t h = 0; f->memory != MAPCORE_NONE && h < f->nhosts; h++)
        f->capacity[f->memory + h] = rates->memory;
    return 0;
}

/* Where ways are found, and the ports that they have so far. */
struct ways {
    struct flow_routes *routes;
    const struct mapcore_alloc *alloc;
    size_t n, capacity;
};

/* Appends the ports of a demand; those of f->n, the next element. */
static int add_ports(struct flows *f,
                     struct ways *ways,
                     const struct flow_demand *demand,
                     uint64_t number,
                     struct mapcore_error *err)
{
    const struct flow_ask ask = {mapcore_alloc_host(ways->alloc, demand->a),
                                 mapcore_alloc_host(ways->alloc, demand->b),
                                 demand->bytes, number};
    const size_t most = (size_t)flow_routes_longest(ways->routes) + 2;
    uint32_t *whole = &f->whole[f->n];
    int error = array_reserve(&f->port, &ways->capacity, ways->n + most,
                              sizeof(*f->port), err);

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
    ways->n += flow_routes_find(ways->routes, &ask, f->port + ways->n, whole);
    *whole += f->nic != MAPCORE_NONE ? 2 : 0;
    return 0;
}

static int find_ways(struct flows *f,
                     struct ways *ways,
                     const struct flow_demands *demands,
                     bool has_stages,
                     struct mapcore_error *err)
{
    int error = 0;

    f->left = array_alloc(demands->n, sizeof(*f->left), err);
    f->members = array_alloc(demands->n, sizeof(*f->members), err);
    f->whole = array_alloc(demands->n, sizeof(*f->whole), err);
    f->first = array_alloc(demands->n + 1, sizeof(*f->first), err);
    if (has_stages)
        f->ends = array_alloc(demands->n, sizeof(*f->ends), err);
    if (!f->left || !f->members || !f->whole || !f->first ||
        (has_stages && !f->ends))
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < demands->n; i++) {
        const struct flow_demand *demand = &demands->demand[i];

        error = add_ports(f, ways, demand, i, err);
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
               const struct mapcore_play_how *how,
               struct mapcore_error *err)
{
    struct ways ways = {.alloc = source->alloc};
    struct flow_demands demands = {0};
    int error;

    if ((error = count_ports(f, source->alloc, &how->rates, err)) < 0 ||
        (error = list_demands(&demands, source, how->rates.memory > 0, err)) <
            0 ||
        (error =
             flow_routes_open(&ways.routes, mapcore_alloc_topo(source->alloc),
                              how->routing, how->seed, err)) < 0)
        goto out;
    if (how->routing == MAPCORE_ROUTING_STATIC && !source->stage)
        merge_equal(&demands);
    if ((error = find_ways(f, &ways, &demands, source->stage != NULL, err)) < 0)
        goto out;
    f->port_first =
        array_alloc((size_t)f->nports + 1, sizeof(*f->port_first), err);
    f->flow = array_alloc(f->first[f->n], sizeof(*f->flow), err);
    f->active = array_alloc(f->n, sizeof(*f->active), err);
    if (!f->port_first || !f->flow || !f->active)
        error = MAPCORE_ENOMEM;
out:
    flow_routes_close(ways.routes);
    free(demands.demand);
    return error;
}

void flows_clear(struct flows *f)
{
    free(f->ends);
    free(f->active);
    free(f->left);
    free(f->members);
    free(f->whole);
    free(f->first);
    free(f->port);
    free(f->port_first);
    free(f->flow);
    free(f->capacity);
    *f = (struct flows){0};
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
                                 .number = port / f->directions};
}
