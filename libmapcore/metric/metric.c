/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metric.c - equations 1 to 5 of Galvez, Jain and Kale, ICS'17, exactly */
#include "config.h"

#include "metric/metric.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/bucket.h"
#include "graph/csr.h"
#include "metric/estimate_check.h"
#include "metric/least_loaded.h"
#include "metric/link_loads.h"

#include <stdlib.h>

/* Bytes are below 2^63 in all, distances below 2^32: no sum can overflow. */
__extension__ typedef unsigned __int128 wide;

/* Tasks in the order of their hosts: those of host h are
 * task[first[h]] .. task[first[h + 1] - 1]. */
struct by_host {
    uint32_t *first; /* [nhosts + 1] */
    uint32_t *task;  /* [ntasks] */
};

static int group_by_host(struct by_host *out,
                         uint32_t nhosts,
                         uint32_t ntasks,
                         const uint32_t *host,
                         struct mapcore_error *err)
{
    out->first = array_alloc((size_t)nhosts + 1, sizeof(*out->first), err);
    out->task = array_alloc(ntasks, sizeof(*out->task), err);
    if (!out->first || !out->task)
        return MAPCORE_ENOMEM;
    bucket_items(out->first, out->task, host, ntasks, nhosts);
    return 0;
}

struct sums {
    wide total, largest;
    uint64_t off_node; /* each edge twice: below 2^64 */
};

/* Eqs. 1 to 3 for the tasks of host a; distances are always those to a. */
static void sum_host(struct sums *sums,
                     const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     const struct by_host *by_host,
                     uint32_t a)
{
    struct distances *distances = alloc_distances(alloc);
    const uint16_t *row = NULL;

    if (by_host->first[a] < by_host->first[a + 1])
        row = distances_find_row(distances, a);
    for (uint32_t k = by_host->first[a]; k < by_host->first[a + 1]; k++) {
        uint32_t t = by_host->task[k];
        wide mine = 0;

        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t b = host[graph->task[i]];

            if (a == b)
                continue;
            sums->off_node += graph->bytes[i];
            mine += (wide)graph->bytes[i] *
                    (row ? row[b] : distances_between(distances, b, a));
        }
        sums->total += mine;
        if (mine > sums->largest)
            sums->largest = mine;
    }
}

static void set_hop_bytes(struct mapcore_metrics *out,
                          const struct mapcore_graph *graph,
                          const struct sums *sums)
{
    out->avg_hop_bytes = (double)sums->total / graph->ntasks;
    out->max_hop_bytes = (double)sums->largest;
    out->hops_per_byte =
        graph->total > 0 ? (double)sums->total / 2 / (double)graph->total : 0;
    out->off_node_bytes = sums->off_node / 2;
}

/* What goes between the pairs of hosts. */
struct loads {
    struct link_loads *link; /* NULL: not wanted */
    uint64_t *from;          /* [nhosts], bytes of each with the host at hand */
    uint32_t *peer;          /* [nhosts], the hosts with bytes */
};

/* The routes to host a. They are walked once for a pair of hosts, however many
 * tasks are there. */
static void add_host(struct loads *loads,
                     const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     const struct by_host *by_host,
                     uint32_t a)
{
    uint32_t npeers = 0;

    for (uint32_t k = by_host->first[a]; k < by_host->first[a + 1]; k++) {
        uint32_t t = by_host->task[k];

        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t b = host[graph->task[i]];

            if (b == a)
                continue;
            if (loads->from[b] == 0)
                loads->peer[npeers++] = b;
            loads->from[b] += graph->bytes[i];
        }
    }
    for (uint32_t k = 0; k < npeers; k++) {
        uint32_t b = loads->peer[k];

        link_loads_add(loads->link, mapcore_alloc_host(alloc, b),
                       mapcore_alloc_host(alloc, a), loads->from[b]);
        loads->from[b] = 0;
    }
}

static void find_slowest_link(struct mapcore_metrics *out,
                              const struct mapcore_topo *topo,
                              const uint64_t *load)
{
    uint32_t nlinks = mapcore_topo_nlinks(topo);

    out->max_time_link = MAPCORE_NONE;
    out->max_link_time = 0;
    for (uint32_t l = 0; l < nlinks; l++) {
        double time = load[l] > 0 ? (double)load[l] / LINK_LOADS_UNITS /
                                        mapcore_topo_link_capacity(topo, l)
                                  : 0;

        if (time > out->max_link_time) {
            out->max_link_time = time;
            out->max_time_link = l;
        }
    }
}

/* Hop-bytes, and loads of the links by static routes, into load[nlinks], or,
 * where that is NULL, not. Host by host, and all of a host together, since a
 * network may have to search for the distances to each. */
static int go_through_hosts(struct mapcore_metrics *out,
                            uint64_t *load,
                            const struct mapcore_graph *graph,
                            const struct mapcore_alloc *alloc,
                            const uint32_t *host,
                            struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    struct by_host by_host = {0};
    struct loads loads = {0};
    struct sums sums = {0};
    int error = group_by_host(&by_host, nhosts, graph->ntasks, host, err);

    if (error < 0)
        goto out;
    error = MAPCORE_ENOMEM;
    loads.from = array_alloc(nhosts, sizeof(*loads.from), err);
    loads.peer = array_alloc(nhosts, sizeof(*loads.peer), err);
    if (!loads.from || !loads.peer)
        goto out;
    if (load &&
        (error = link_loads_open(&loads.link, mapcore_alloc_topo(alloc), load,
                                 graph->row[graph->ntasks], err)) < 0)
        goto out;
    for (uint32_t a = 0; a < nhosts; a++) {
        sum_host(&sums, graph, alloc, host, &by_host, a);
        if (loads.link)
            add_host(&loads, graph, alloc, host, &by_host, a);
    }
    set_hop_bytes(out, graph, &sums);
    error = 0;
out:
    free(by_host.first);
    free(by_host.task);
    link_loads_close(loads.link);
    free(loads.from);
    free(loads.peer);
    return error;
}

/* The bytes of all its directions. */
static double bytes_of(const struct mapcore_topo *topo, uint64_t load)
{
    return (double)load / LINK_LOADS_UNITS * mapcore_topo_link_directions(topo);
}

static void find_busiest_link(struct mapcore_metrics *out,
                              const struct mapcore_topo *topo,
                              const uint64_t *load)
{
    uint64_t largest = 0;

    out->max_link = MAPCORE_NONE;
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        if (load[l] > largest) {
            largest = load[l];
            out->max_link = l;
        }
    }
    out->max_link_bytes = bytes_of(topo, largest);
    find_slowest_link(out, topo, load);
}

int mapcore_metrics_compute_routes(struct mapcore_metrics *out,
                                   const struct mapcore_graph *graph,
                                   const struct mapcore_alloc *alloc,
                                   const uint32_t *host,
                                   const struct mapcore_metrics_how *how,
                                   struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    bool is_static = how->routes == MAPCORE_ROUTES_STATIC;
    struct mapcore_metrics metrics;
    uint64_t *load;
    int error = estimate_check_hosts(alloc, graph->ntasks, host, err);

    if (error < 0)
        return error;
    load = array_alloc(mapcore_topo_nlinks(topo), sizeof(*load), err);
    if (!load)
        return MAPCORE_ENOMEM;
    if ((error = go_through_hosts(&metrics, is_static ? load : NULL, graph,
                                  alloc, host, err)) < 0 ||
        (!is_static &&
         (error = least_loaded_add(load, graph, alloc, host, err)) < 0))
        goto out;
    find_busiest_link(&metrics, topo, load);
    for (uint32_t l = 0; how->bytes && l < mapcore_topo_nlinks(topo); l++)
        how->bytes[l] = bytes_of(topo, load[l]);
    *out = metrics;
out:
    free(load);
    return error;
}

int mapcore_metrics_compute(struct mapcore_metrics *out,
                            const struct mapcore_graph *graph,
                            const struct mapcore_alloc *alloc,
                            const uint32_t *host,
                            struct mapcore_error *err)
{
    const struct mapcore_metrics_how how = {MAPCORE_ROUTES_STATIC, NULL};

    return mapcore_metrics_compute_routes(out, graph, alloc, host, &how, err);
}
