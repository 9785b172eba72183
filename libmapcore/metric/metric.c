/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metric.c - equations 1 to 5 of Galvez, Jain and Kale, ICS'17, exactly; and
 * hop-bytes inside nodes, the second objective */
#include "config.h"

#include "metric/metric.h"

#include "alloc/distances.h"
#include "base/array.h"
#include "base/bucket.h"
#include "base/text.h"
#include "graph/csr.h"
#include "metric/estimate_check.h"
#include "metric/link_loads.h"
#include "topo/walk.h"

/* Bytes are below 2^63 in all, distances below 2^32: no sum can overflow. */
__extension__ typedef unsigned __int128 wide;

/* Host by host, and all of a host together, since a network may have to search
 * for the distances to each. */
struct walk {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    const uint32_t *host;
    /* Those of host h are task[first[h]] .. task[first[h + 1] - 1]. */
    uint32_t *first, *task;
    uint32_t interfaces; /* hosts in a row that are one node */
    wide total, largest;
    uint64_t off_node; /* each edge twice: below 2^64 */

    struct link_loads *link; /* NULL: not wanted */
    uint64_t *from;          /* [nhosts], bytes of each with the host at hand */
    uint32_t *peer;          /* [nhosts], the hosts with bytes */
};

/* Rows of all interfaces would take a large network longer than its edges. */
static uint32_t distance_to(const struct walk *w, uint32_t b, uint32_t a)
{
    return w->interfaces > 1
               ? mapcore_topo_distance(mapcore_alloc_topo(w->alloc),
                                       mapcore_alloc_host(w->alloc, b),
                                       mapcore_alloc_host(w->alloc, a))
               : distances_between(alloc_distances(w->alloc), b, a);
}

/* Eqs. 1 to 3 for the tasks of host a, distances always being those to a; and
 * the routes to it, each once for a pair of hosts, however many tasks are
 * there. */
static void add_host(struct walk *w, uint32_t a)
{
    const struct mapcore_graph *graph = w->graph;
    const uint16_t *row = w->first[a] < w->first[a + 1] && w->interfaces == 1
                              ? distances_find_row(alloc_distances(w->alloc), a)
                              : NULL;
    uint32_t npeers = 0;

    for (uint32_t k = w->first[a]; k < w->first[a + 1]; k++) {
        uint32_t t = w->task[k];
        wide mine = 0;

        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t b = w->host[graph->task[i]];

            if (topo_is_one_node(w->interfaces, a, b))
                continue;
            w->off_node += graph->bytes[i];
            mine +=
                (wide)graph->bytes[i] * (row ? row[b] : distance_to(w, b, a));
            if (w->from[b] == 0)
                w->peer[npeers++] = b;
            w->from[b] += graph->bytes[i];
        }
        w->total += mine;
        if (mine > w->largest)
            w->largest = mine;
    }
    for (uint32_t k = 0; k < npeers; k++) {
        uint32_t b = w->peer[k];

        if (w->link)
            link_loads_add(w->link, mapcore_alloc_host(w->alloc, b),
                           mapcore_alloc_host(w->alloc, a), w->from[b]);
        w->from[b] = 0;
    }
}

/* Hop-bytes, and loads of the links by static routes, into load[nlinks], or,
 * where that is NULL, not. */
static void go_through_hosts(struct mapcore_metrics *out,
                             uint64_t *load,
                             const struct mapcore_graph *graph,
                             const struct mapcore_alloc *alloc,
                             const uint32_t *host,
                             struct arena *arena)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    struct walk w = {
        .graph = graph,
        .alloc = alloc,
        .host = host,
        .interfaces = topo_interfaces(mapcore_alloc_topo(alloc)),
        .first = arena_alloc(arena, (size_t)nhosts + 1, sizeof(*w.first)),
        .task = arena_alloc(arena, graph->ntasks, sizeof(*w.task)),
        .from = arena_alloc(arena, nhosts, sizeof(*w.from)),
        .peer = arena_alloc(arena, nhosts, sizeof(*w.peer))};

    if (load)
        w.link = link_loads_open(arena, mapcore_alloc_topo(alloc), load,
                                 graph->row[graph->ntasks], false);
    if (arena->error < 0)
        return;
    bucket_items(w.first, w.task, host, graph->ntasks, nhosts);
    for (uint32_t a = 0; a < nhosts; a++)
        add_host(&w, a);
    if (w.link)
        link_loads_end(w.link);
    out->avg_hop_bytes = (double)w.total / graph->ntasks;
    out->max_hop_bytes = (double)w.largest;
    out->hops_per_byte =
        graph->total > 0 ? (double)w.total / 2 / (double)graph->total : 0;
    out->off_node_bytes = w.off_node / 2;
}

/* The bytes of all its directions. */
static double bytes_of(const struct mapcore_topo *topo, uint64_t load)
{
    return (double)load / LINK_LOADS_UNITS * mapcore_topo_link_directions(topo);
}

static void find_busiest_links(struct mapcore_metrics *out,
                               const struct mapcore_topo *topo,
                               const uint64_t *load)
{
    uint64_t largest = 0;

    out->max_link = out->max_time_link = MAPCORE_NONE;
    out->max_link_time = 0;
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        double time = load[l] > 0 ? (double)load[l] / LINK_LOADS_UNITS /
                                        mapcore_topo_link_capacity(topo, l)
                                  : 0;

        if (load[l] > largest) {
            largest = load[l];
            out->max_link = l;
        }
        if (time > out->max_link_time) {
            out->max_link_time = time;
            out->max_time_link = l;
        }
    }
    out->max_link_bytes = bytes_of(topo, largest);
}

int mapcore_metrics_compute_routes(struct mapcore_metrics *out,
                                   const struct mapcore_graph *graph,
                                   const struct mapcore_alloc *alloc,
                                   const uint32_t *host,
                                   const struct mapcore_metrics_how *how,
                                   struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    const uint32_t nlinks = mapcore_topo_nlinks(topo);
    const bool is_static = how->routes == MAPCORE_ROUTES_STATIC;
    struct arena arena = {.err = err};
    struct mapcore_metrics metrics;
    uint64_t *load;
    int error = estimate_check_hosts(alloc, graph->ntasks, host, err);

    if (error < 0)
        return error;
    load = arena_alloc(&arena, nlinks, sizeof(*load));
    go_through_hosts(&metrics, is_static ? load : NULL, graph, alloc, host,
                     &arena);
    if (arena.error == 0 && !is_static)
        least_loaded_add(load, graph, alloc, host, &arena);
    if (arena.error == 0) {
        find_busiest_links(&metrics, topo, load);
        for (uint32_t l = 0; how->bytes && l < nlinks; l++)
            how->bytes[l] = bytes_of(topo, load[l]);
        *out = metrics;
    }
    arena_clear(&arena);
    return arena.error;
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

int mapcore_inside_compute(struct mapcore_inside *out,
                           const struct mapcore_graph *graph,
                           const struct mapcore_alloc *alloc,
                           const struct mapcore_mapping *mapping,
                           const struct mapcore_hwnode *node,
                           struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    uint64_t bytes = 0; /* each edge twice: below 2^64 */
    wide total = 0;

    if (mapping->ntasks != graph->ntasks)
        return error_set(err, MAPCORE_EINVAL, "a mapping of %u task%s, not %u",
                         mapping->ntasks, text_plural(mapping->ntasks),
                         graph->ntasks);
    for (uint32_t t = 0; t < graph->ntasks; t++) {
        uint32_t host = mapping->host[t];

        if (host >= nhosts ||
            mapping->slot[t] >= mapcore_alloc_slots(alloc, host))
            return error_set(err, MAPCORE_EINVAL, "task %u has no place", t);
        for (size_t i = graph->row[t]; i < graph->row[t + 1]; i++) {
            uint32_t u = graph->task[i];

            if (mapping->host[u] != host)
                continue;
            bytes += graph->bytes[i];
            total +=
                (wide)graph->bytes[i] *
                mapcore_hwnode_distance(node, mapcore_alloc_slots(alloc, host),
                                        mapping->slot[t], mapping->slot[u]);
        }
    }
    out->avg_inside_hop_bytes = (double)total / graph->ntasks;
    out->inside_hops_per_byte = bytes > 0 ? (double)total / (double)bytes : 0;
    out->inside_bytes = bytes / 2;
    return 0;
}
