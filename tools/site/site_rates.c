/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_rates.c - brings seconds and rates to one unit */
#include "config.h"

#include "tools/site/site_rates.h"

struct mapcore_host_rates site_rates(const struct site_file *site)
{
    return (struct mapcore_host_rates){.nic = site->nic_rate,
                                       .memory = site->memory_rate,
                                       .message = site->message};
}

enum quantity_time site_rates_unit(const struct mapcore_host_rates *rates,
                                   const struct mapcore_topo *topo)
{
    if (mapcore_topo_has_capacities(topo) && mapcore_topo_nlinks(topo) > 0)
        return mapcore_topo_link_capacity(topo, 0) >= QUANTITY_RATE_LEAST
                   ? QUANTITY_SECONDS
                   : QUANTITY_BARE;
    return rates->nic == 1 || (rates->nic <= 0 && rates->memory <= 0)
               ? QUANTITY_BYTES
               : QUANTITY_BARE;
}

const char *site_rates_settle(struct mapcore_host_rates *rates,
                              const struct mapcore_topo *topo)
{
    struct mapcore_message_costs *costs = &rates->message;
    const double nic = rates->nic;
    const char *left_out = NULL;

    if (!mapcore_topo_has_capacities(topo) && nic >= QUANTITY_RATE_LEAST) {
        rates->nic = 1;
        rates->memory /= nic;
        *costs = (struct mapcore_message_costs){
            .nic = costs->nic * nic,
            .task = costs->task * nic,
            .memory_latency = costs->memory_latency * nic,
            .nic_latency = costs->nic_latency * nic,
            .hop_latency = costs->hop_latency * nic,
        };
        return NULL;
    }
    if (!mapcore_topo_has_capacities(topo) &&
        rates->memory >= QUANTITY_RATE_LEAST) {
        rates->memory = 0;
        left_out = "the rate of memory is left out: it needs capacities, or a "
                   "nic_rate, in bytes per second";
    }
    if (mapcore_message_costs_known(costs) &&
        site_rates_unit(rates, topo) != QUANTITY_SECONDS) {
        *costs = (struct mapcore_message_costs){.nic = 0};
        left_out = "latencies and seconds of messages are left out: they need "
                   "capacities in bytes per second, or, without capacities, "
                   "such a nic_rate";
    }
    return left_out;
}
