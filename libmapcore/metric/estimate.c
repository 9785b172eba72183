/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate.c - the time of a phase by what its links, network interfaces and
 * memories carry */
#include "config.h"

#include "metric/estimate.h"

#include "base/array.h"
#include "graph/csr.h"
#include "metric/estimate_check.h"
#include "metric/link_loads.h"
#include "topo/walk.h"

#include <stdio.h>
#include <stdlib.h>

enum { NAME = 300 /* of a switch */ };

struct port_loads {
    uint64_t *link; /* [nlinks], as link_loads.h counts */
    /* In half bytes, since each way takes half of an edge. */
    uint64_t *nic;    /* [nhosts], one direction: as much comes as goes */
    uint64_t *memory; /* [nhosts] */
    struct link_loads *routes; /* into link */
};

/* What comes to task t from all others. */
static void add_task(struct port_loads *loads,
                     const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     uint32_t t)
{
    uint32_t a = host[t];

    for (size_t k = graph->row[t]; k < graph->row[t + 1]; k++) {
        uint32_t b = host[graph->task[k]];

        if (a == b) {
            loads->memory[a] += graph->bytes[k];
            continue;
        }
        loads->nic[a] += graph->bytes[k];
        link_loads_add(loads->routes, mapcore_alloc_host(alloc, b),
                       mapcore_alloc_host(alloc, a), graph->bytes[k]);
    }
}

static void compare(struct mapcore_estimate *out,
                    enum mapcore_port_kind kind,
                    uint32_t number,
                    double time)
{
    if (time > out->time) {
        out->next_time = out->time;
        out->time = time;
        out->port = (struct mapcore_port){.kind = kind, .number = number};
    } else if (time > out->next_time)
        out->next_time = time;
}

static struct mapcore_estimate find_slowest(const struct port_loads *loads,
                                            const struct mapcore_alloc *alloc,
                                            const struct mapcore_host_rates *r)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    struct mapcore_estimate out = {0};

    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++)
        compare(&out, MAPCORE_PORT_LINK, l,
                (double)loads->link[l] / LINK_LOADS_UNITS /
                    mapcore_topo_link_capacity(topo, l));
    for (uint32_t h = 0; r->nic > 0 && h < mapcore_alloc_nhosts(alloc); h++)
        compare(&out, MAPCORE_PORT_NIC, h, (double)loads->nic[h] / 2 / r->nic);
    for (uint32_t h = 0; r->memory > 0 && h < mapcore_alloc_nhosts(alloc); h++)
        compare(&out, MAPCORE_PORT_MEMORY, h,
                (double)loads->memory[h] / 2 / r->memory);
    return out;
}

int mapcore_estimate_compute(struct mapcore_estimate *out,
                             const struct mapcore_graph *graph,
                             const struct mapcore_alloc *alloc,
                             const uint32_t *host,
                             const struct mapcore_host_rates *rates,
                             struct mapcore_error *err)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);
    struct port_loads loads = {0};
    int error = estimate_check(alloc, graph->ntasks, host, rates->nic,
                               rates->memory, err);

    if (error < 0)
        return error;
    loads.link =
        array_alloc(mapcore_topo_nlinks(topo), sizeof(*loads.link), err);
    loads.nic = array_alloc(nhosts, sizeof(*loads.nic), err);
    loads.memory = array_alloc(nhosts, sizeof(*loads.memory), err);
    if (!loads.link || !loads.nic || !loads.memory)
        error = MAPCORE_ENOMEM;
    if (error == 0)
        error = link_loads_open(&loads.routes, topo, loads.link,
                                graph->row[graph->ntasks], err);
    for (uint32_t t = 0; error == 0 && t < graph->ntasks; t++)
        add_task(&loads, graph, alloc, host, t);
    link_loads_close(loads.routes);
    if (error == 0)
        *out = find_slowest(&loads, alloc, rates);
    free(loads.link);
    free(loads.nic);
    free(loads.memory);
    return error;
}

bool mapcore_message_costs_known(const struct mapcore_message_costs *costs)
{
    return costs->nic > 0 || costs->task > 0 || costs->memory_latency > 0 ||
           costs->nic_latency > 0 || costs->hop_latency > 0;
}

int mapcore_port_name(const struct mapcore_alloc *alloc,
                      struct mapcore_port port,
                      char *buffer,
                      size_t size)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    const char *what =
        port.kind == MAPCORE_PORT_NIC ? "network interface of" : "memory of";
    const char *name;
    uint32_t host;

    if (port.kind == MAPCORE_PORT_NONE)
        return snprintf(buffer, size, "-");
    if (port.kind == MAPCORE_PORT_LINK)
        return mapcore_topo_link_name(topo, port.number, buffer, size);
    if (port.kind == MAPCORE_PORT_TASK)
        return snprintf(buffer, size, "port of task %u", port.number);
    if (port.kind == MAPCORE_PORT_OBJECT)
        return snprintf(buffer, size, "%s of task %u", port.object,
                        port.number);
    if (port.kind == MAPCORE_PORT_SWITCH) {
        char label[NAME];

        topo_vertex_name(topo, mapcore_topo_nhosts(topo) + port.number, label,
                         sizeof(label));
        return snprintf(buffer, size, "switch %s", label);
    }
    host = mapcore_alloc_host(alloc, port.number);
    name = mapcore_topo_host_name(topo, host);
    return name ? snprintf(buffer, size, "%s %s", what, name)
                : snprintf(buffer, size, "%s node %u", what, host);
}
