/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_rates.h - what nodes and messages take, in the unit of a network's
 * capacities */
#ifndef TOOLS_SITE_RATES_H
#define TOOLS_SITE_RATES_H

#include "metric/estimate.h"
#include "tools/site/site.h"
#include "tools/table/quantity.h"

/* As the site file says them. */
struct mapcore_host_rates site_rates(const struct site_file *site);

/* Brings stated rates to the unit of the network's capacities. Where it states
 * none, its links carry the nic rate if that is 1e6 or more, bytes per second,
 * and the unit of time is what a byte takes there: rates->nic is 1 then.
 * Seconds of messages need such a rate or such capacities. Returns what had to
 * be left out, for a line, or NULL. */
const char *site_rates_settle(struct mapcore_host_rates *rates,
                              const struct mapcore_topo *topo);

/* What times are then that follow from them. */
enum quantity_time site_rates_unit(const struct mapcore_host_rates *rates,
                                   const struct mapcore_topo *topo);

#endif
