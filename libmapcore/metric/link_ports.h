/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* link_ports.h - what a message takes of a link: one direction, and of parallel
 * cables one */
#ifndef MAPCORE_METRIC_LINK_PORTS_H
#define MAPCORE_METRIC_LINK_PORTS_H

#include "metric/estimate.h"
#include "topo/topo.h"
#include "topo/walk.h"

/* Numbers of ports: (link x directions, + 1 for the way down a tree's) x
 * cables, + the cable. Static routes of a tree are D-mod-k (Zahavi, "Fat-tree
 * routing and node ordering providing contention free traffic for MPI global
 * collectives", 2012): of k cables all that goes to host b takes that of number
 * b mod k, up as well as down. */
struct link_ports {
    const struct mapcore_topo *topo; /* borrowed */
    uint32_t directions, cables;     /* the most of a link */
    /* Behind those of links: number of the first network interface, of the
     * first memory and of the first task. */
    uint64_t nic, memory, task;
};

/* By cable where routes are static, else each link's together. */
static inline struct link_ports link_ports_of(const struct mapcore_topo *topo,
                                              enum mapcore_routing routing)
{
    return (struct link_ports){
        topo, mapcore_topo_link_directions(topo),
        routing == MAPCORE_ROUTING_STATIC ? topo_most_cables(topo) : 1,
        .nic = 0};
}

static inline uint64_t link_ports_count(const struct link_ports *ports)
{
    return (uint64_t)mapcore_topo_nlinks(ports->topo) * ports->directions *
           ports->cables;
}

/* Numbers the others, of hosts that have network interfaces, and memories. */
static inline void link_ports_behind(struct link_ports *ports,
                                     uint64_t nhosts,
                                     bool has_nics,
                                     bool has_memories)
{
    ports->nic = link_ports_count(ports);
    ports->memory = ports->nic + (has_nics ? 2 * nhosts : 0);
    ports->task = ports->memory + (has_memories ? nhosts : 0);
}

static inline uint32_t link_ports_link(const struct link_ports *ports,
                                       size_t port)
{
    return (uint32_t)(port / ports->cables / ports->directions);
}

static inline double link_ports_capacity(const struct link_ports *ports,
                                         size_t port)
{
    const uint32_t link = link_ports_link(ports, port);
    const double joint = mapcore_topo_link_capacity(ports->topo, link);

    return ports->cables > 1 ? joint / topo_cables(ports->topo, link) : joint;
}

static inline struct mapcore_port link_ports_name(
    const struct link_ports *ports,
    size_t port)
{
    if (port >= ports->task)
        return (struct mapcore_port){.kind = MAPCORE_PORT_TASK,
                                     .number = (uint32_t)(port - ports->task)};
    if (port >= ports->memory)
        return (struct mapcore_port){.kind = MAPCORE_PORT_MEMORY,
                                     .number =
                                         (uint32_t)(port - ports->memory)};
    if (port >= ports->nic)
        return (struct mapcore_port){.kind = MAPCORE_PORT_NIC,
                                     .number =
                                         (uint32_t)((port - ports->nic) / 2)};
    return (struct mapcore_port){.kind = MAPCORE_PORT_LINK,
                                 .number = link_ports_link(ports, port)};
}

/* From links to ports, along the way of link[n] from host a of the topology to
 * host b. */
static inline void link_ports_take(const struct link_ports *ports,
                                   uint32_t a,
                                   uint32_t b,
                                   uint32_t *link,
                                   uint32_t n)
{
    for (uint32_t i = 0; ports->directions == 2 && i < n; i++) {
        const uint32_t cables =
            ports->cables > 1 ? topo_cables(ports->topo, link[i]) : 1;
        uint32_t end[2], goes_down;

        topo_link_ends(ports->topo, link[i], end);
        goes_down = end[0] != a;
        a = end[!goes_down];
        link[i] = (2 * link[i] + goes_down) * ports->cables + b % cables;
    }
}

#endif
