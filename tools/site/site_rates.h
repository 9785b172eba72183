/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* site_rates.h - what a site's nodes and messages take, in the unit of a
 * network's capacities */
#ifndef TOOLS_SITE_RATES_H
#define TOOLS_SITE_RATES_H

#include "metric/estimate.h"
#include "tools/site/site.h"

/* nic_rate and memory_rate as they are said; and, where seconds of messages are
 * said, these, too. Seconds need bytes per second beside them: capacities of
 * the network of 1e6 or more; or, where none are stated, such a nic_rate, which
 * links then carry as well: the unit of time is what a byte takes there.
 * Returns false where they had to be left out. */
bool site_rates(struct mapcore_host_rates *out,
                const struct site_file *site,
                const struct mapcore_topo *topo);

#endif
