/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* network.h - the topology that a site file describes */
#ifndef TOOLS_NETWORK_H
#define TOOLS_NETWORK_H

#include "topo/topo.h"
#include "json/json.h"

/* Makes the topology of a `topology` object, topomap.json(5). Errors: EPARSE
 * with file and key, and those of mapcore_topo_open, partitions_open_topology.
 */
int network_open(struct mapcore_topo **out,
                 const struct json_node *node,
                 struct mapcore_error *err);

#endif
