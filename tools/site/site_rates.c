/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_rates.c - brings seconds and rates to one unit */
#include "config.h"

#include "tools/site/site_rates.h"

#include "tools/common/quantity.h"

static bool states_bytes_per_second(const struct mapcore_topo *topo)
{
    return mapcore_topo_nlinks(topo) > 0 &&
           mapcore_topo_link_capacity(topo, 0) >= QUANTITY_RATE_LEAST;
}

bool site_rates(struct mapcore_host_rates *out,
                const struct site_file *site,
                const struct mapcore_topo *topo)
{
    const struct mapcore_message_costs *costs = site_message_costs(site);
    const double nic = site_nic_rate(site);

    *out = (struct mapcore_host_rates){.nic = nic,
                                       .memory = site_memory_rate(site)};
    if (!mapcore_message_costs_known(costs))
        return true;
    if (mapcore_topo_has_capacities(topo)) {
        if (!states_bytes_per_second(topo))
            return false;
        out->message = *costs;
        return true;
    }
    if (nic < QUANTITY_RATE_LEAST)
        return false;
    out->nic = 1;
    out->memory /= nic;
    out->message = (struct mapcore_message_costs){
        .nic = costs->nic * nic,
        .task = costs->task * nic,
        .memory_latency = costs->memory_latency * nic,
        .nic_latency = costs->nic_latency * nic,
        .hop_latency = costs->hop_latency * nic,
    };
    return true;
}
