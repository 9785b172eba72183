/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate.c - what can be estimated, and the names of ports */
#include "config.h"

#include "metric/estimate.h"

#include "base/error_set.h"
#include "metric/estimate_check.h"
#include "topo/walk.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { NAME = 300 /* of a switch */ };

int estimate_check_hosts(const struct mapcore_alloc *alloc,
                         uint32_t ntasks,
                         const uint32_t *host,
                         struct mapcore_error *err)
{
    const uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    for (uint32_t t = 0; t < ntasks; t++)
        if (host[t] >= nhosts)
            return error_set(err, MAPCORE_EINVAL,
                             "task %u is on node %u of an allocation of %u", t,
                             host[t], nhosts);
    return 0;
}

int estimate_check(const struct mapcore_alloc *alloc,
                   uint32_t ntasks,
                   const uint32_t *host,
                   const struct mapcore_host_rates *rates,
                   struct mapcore_error *err)
{
    const struct mapcore_message_costs *costs = &rates->message;
    const double all[] = {costs->nic, costs->task, costs->memory_latency,
                          costs->nic_latency, costs->hop_latency};

    if (!(rates->nic >= 0 && isfinite(rates->nic)) ||
        !(rates->memory >= 0 && isfinite(rates->memory)))
        return error_set(err, MAPCORE_EINVAL,
                         "a node's rates are %g and %g, but must be numbers "
                         "from 0 on",
                         rates->nic, rates->memory);
    for (size_t i = 0; i < sizeof(all) / sizeof(*all); i++)
        if (!(all[i] >= 0 && isfinite(all[i])))
            return error_set(err, MAPCORE_EINVAL,
                             "what a message takes is %g, but must be a number "
                             "from 0 on",
                             all[i]);
    return estimate_check_hosts(alloc, ntasks, host, err);
}

struct mapcore_host_rates mapcore_rates_by_rail(
    const struct mapcore_host_rates *rates,
    const struct mapcore_alloc *alloc)
{
    struct mapcore_host_rates by_rail = *rates;

    by_rail.nic /=
        topo_interfaces(mapcore_alloc_topo(mapcore_alloc_by_rail(alloc)));
    return by_rail;
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
    char label[NAME];
    const char *name;
    uint32_t host;

    if (port.kind == MAPCORE_PORT_NONE)
        return snprintf(buffer, size, "-");
    if (port.kind == MAPCORE_PORT_LINK)
        return mapcore_topo_link_name(topo, port.number, buffer, size);
    if (port.kind == MAPCORE_PORT_TASK || port.kind == MAPCORE_PORT_OBJECT)
        return snprintf(buffer, size, "%s of task %u",
                        port.kind == MAPCORE_PORT_TASK ? "port" : port.object,
                        port.number);
    if (port.kind == MAPCORE_PORT_SWITCH) {
        topo_vertex_name(topo, mapcore_topo_nhosts(topo) + port.number, label,
                         sizeof(label));
        return snprintf(buffer, size, "switch %s", label);
    }
    host = mapcore_alloc_host(alloc, port.number);
    name = mapcore_topo_host_name(topo, host);
    if (topo_interfaces(topo) > 1) {
        topo_vertex_name(topo, host, label, sizeof(label));
        if (port.kind == MAPCORE_PORT_MEMORY)
            *strstr(label, " rail") = '\0';
        name = label;
    }
    return name ? snprintf(buffer, size, "%s %s", what, name)
                : snprintf(buffer, size, "%s node %u", what, host);
}
