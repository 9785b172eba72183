/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* known.c - a search whose mapping is known from before: what tells that it is
 * the same search, and its result again */
#include "config.h"

#include "map/map.h"

#include "base/array.h"
#include "graph/csr.h"
#include "map/choose.h"
#include "map/constrain/units.h"
#include "topo/topo.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Hosts up to which every route is looked at; beyond, those to hosts a power of
 * two behind. */
#define ALL_ROUTES 64

/* Two multiplicative hashes of words, the finaliser of splitmix64 (Steele, Lea
 * and Flood, OOPSLA 2014) between them: no defence against who wants a
 * collision. */
struct digest {
    uint64_t a, b;
};

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static void add(struct digest *digest, uint64_t word)
{
    digest->a = mix(digest->a + word + UINT64_C(0x9e3779b97f4a7c15));
    digest->b = (digest->b ^ word) * UINT64_C(0x100000001b3) + digest->a;
}

static void add_double(struct digest *digest, double value)
{
    uint64_t word;

    memcpy(&word, &value, sizeof(word));
    add(digest, word);
}

static void add_text(struct digest *digest, const char *text)
{
    add(digest, text ? strlen(text) + 1 : 0);
    for (; text && *text; text++)
        add(digest, (unsigned char)*text);
}

/* NULL and none are different. */
static void add_array(struct digest *digest, const uint32_t *value, size_t n)
{
    add(digest, value ? n + 1 : 0);
    for (size_t i = 0; value && i < n; i++)
        add(digest, value[i]);
}

static void add_graph(struct digest *digest, const struct mapcore_graph *graph)
{
    add(digest, graph->ntasks);
    for (uint32_t t = 0; t <= graph->ntasks; t++)
        add(digest, graph->row[t]);
    for (size_t k = 0; k < graph->row[graph->ntasks]; k++) {
        add(digest, graph->task[k]);
        add(digest, graph->bytes[k]);
    }
}

static void add_route(struct digest *digest,
                      const struct mapcore_alloc *alloc,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *route)
{
    uint32_t n = mapcore_topo_route(mapcore_alloc_topo(alloc),
                                    mapcore_alloc_host(alloc, a),
                                    mapcore_alloc_host(alloc, b), route);

    add_array(digest, route, n);
}

/* The network as the hosts see it, and all links. */
static int add_network(struct digest *digest,
                       const struct mapcore_alloc *alloc,
                       struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t nlinks = mapcore_topo_nlinks(topo);
    uint32_t n = mapcore_alloc_nhosts(alloc);
    uint32_t *route = array_alloc((size_t)mapcore_topo_diameter(topo) + 1,
                                  sizeof(*route), err);

    if (!route)
        return MAPCORE_ENOMEM;
    add_text(digest, mapcore_topo_describe(topo));
    add(digest, mapcore_topo_nhosts(topo));
    add(digest, mapcore_topo_link_directions(topo));
    add(digest, mapcore_topo_has_capacities(topo));
    add(digest, nlinks);
    for (uint32_t l = 0; l < nlinks; l++)
        add_double(digest, mapcore_topo_link_capacity(topo, l));
    add(digest, n);
    for (uint32_t i = 0; i < n; i++) {
        add(digest, mapcore_alloc_host(alloc, i));
        add(digest, mapcore_alloc_slots(alloc, i));
        add_text(digest,
                 mapcore_topo_host_name(topo, mapcore_alloc_host(alloc, i)));
        for (uint32_t step = 1; step<n; step += n> ALL_ROUTES ? step : 1)
            add_route(digest, alloc, i, (i + step) % n, route);
    }
    free(route);
    return 0;
}

/* The inside of a host, as the slots of each that has others than the one
 * before see it. */
static void add_node(struct digest *digest,
                     const struct mapcore_alloc *alloc,
                     const struct mapcore_hwnode *node)
{
    uint32_t before = 0;

    add(digest, node != NULL);
    for (uint32_t h = 0; node && h < mapcore_alloc_nhosts(alloc); h++) {
        uint32_t n = mapcore_alloc_slots(alloc, h);

        for (uint32_t a = 0; n != before && a < n; a++)
            for (uint32_t b = a + 1; b < n; b += b - a)
                add(digest, mapcore_hwnode_distance(node, n, a, b));
        before = n;
    }
}

/* Nothing where messages take nothing: what was kept before stays known. */
static void add_messages(struct digest *digest,
                         const struct mapcore_workload *work)
{
    const struct mapcore_message_costs *costs = &work->rates.message;
    const double cost[] = {costs->nic, costs->task, costs->memory_latency,
                           costs->nic_latency, costs->hop_latency};

    if (!mapcore_message_costs_known(costs))
        return;
    for (size_t i = 0; i < sizeof(cost) / sizeof(*cost); i++)
        add_double(digest, cost[i]);
    for (size_t i = 0; i < work->n; i++) {
        const struct mapcore_phases *of = work->type[i].phases
                                              ? work->type[i].phases
                                              : work->type[i].messages;

        add(digest, of != NULL);
        for (size_t k = 0; of && k < of->first[of->n]; k++) {
            add(digest, (uint64_t)of->flow[k].from << 32 | of->flow[k].to);
            add(digest, of->flow[k].messages);
        }
    }
}

static void add_workload(struct digest *digest,
                         const struct mapcore_workload *work)
{
    add_double(digest, work->rates.nic);
    add_double(digest, work->rates.memory);
    add(digest, work->rates.ties_are_whole);
    add(digest, work->rates.routing);
    add_double(digest, work->traffic);
    for (size_t i = 0; i < work->n; i++) {
        const struct mapcore_phases *phases = work->type[i].phases;

        add_double(digest, work->type[i].scale);
        if (work->type[i].staging.make)
            add(digest, work->type[i].staging.kind);
        if (!phases) {
            add_graph(digest, work->type[i].graph);
            continue;
        }
        for (size_t p = 0; p <= phases->n; p++)
            add(digest, phases->first[p]);
        for (size_t k = 0; k < phases->first[phases->n]; k++) {
            add(digest,
                (uint64_t)phases->flow[k].from << 32 | phases->flow[k].to);
            add(digest, phases->flow[k].bytes);
        }
    }
    add_messages(digest, work);
}

static void add_options(struct digest *digest,
                        const struct mapcore_search *search,
                        uint32_t ntasks)
{
    add(digest, choose_settled(search->choose));
    add_double(digest, search->alpha != 0 ? search->alpha : 1.05);
    add(digest, search->seed != 0 ? search->seed : 1);
    add(digest, search->work);
    add(digest, search->schedule.starts);
    add(digest, search->schedule.clusters);
    add(digest, search->schedule.tasks);
    add(digest, search->schedule.cut);
    add(digest, search->unit > 1 ? search->unit : 1);
    add(digest, search->slots_by_rank);
    if (search->workload)
        add_workload(digest, search->workload);
    add_array(digest, search->baseline, ntasks);
    add_array(digest, search->pin, ntasks);
}

int mapcore_search_digest(char out[MAPCORE_DIGEST],
                          const struct mapcore_graph *graph,
                          const struct mapcore_alloc *alloc,
                          const struct mapcore_search *search,
                          struct mapcore_error *err)
{
    struct digest digest = {UINT64_C(0xcbf29ce484222325), 0};
    int error;

    add_graph(&digest, graph);
    if ((error = add_network(&digest, alloc, err)) < 0)
        return error;
    add_node(&digest, alloc, search->node);
    add_options(&digest, search, graph->ntasks);
    snprintf(out, MAPCORE_DIGEST, "%016llx%016llx",
             (unsigned long long)mix(digest.a),
             (unsigned long long)mix(digest.b));
    return 0;
}

/* Pins hold in what is known, too. */
static int check_pins(const struct mapcore_search *search,
                      const uint32_t *host,
                      uint32_t ntasks,
                      struct mapcore_error *err)
{
    for (uint32_t t = 0; search->pin && t < ntasks; t++)
        if (search->pin[t] != MAPCORE_NONE && search->pin[t] != host[t])
            return error_set(err, MAPCORE_EINVAL,
                             "task %u is not where it is pinned", t);
    return 0;
}

int mapcore_search_known(struct mapcore_result *out,
                         const struct mapcore_graph *graph,
                         const struct mapcore_alloc *alloc,
                         const struct mapcore_search *search,
                         const uint32_t *host,
                         const uint32_t *slot,
                         struct mapcore_error *err)
{
    const struct result_places places = {
        host, search->slots_by_rank ? NULL : slot, NULL, NULL};
    int error = check_pins(search, host, graph->ntasks, err);

    return error < 0 ? error
                     : result_make(out, graph, alloc, search, &places, err);
}
