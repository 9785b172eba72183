/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology_show.h - a network as topomap topology show prints it */
#ifndef TOOLS_TOPOLOGY_SHOW_H
#define TOOLS_TOPOLOGY_SHOW_H

#include "topo/topo.h"

/* Prints on stdout what the network is, how many links of which capacity it
 * has, and where its hosts sit: the nwhich of which, or, where that is NULL,
 * the first few, or all. Errors: EIO, ENOMEM. */
int topology_show(const struct mapcore_topo *topo,
                  const uint32_t *which,
                  uint32_t nwhich,
                  bool all,
                  bool as_json,
                  struct mapcore_error *err);

/* The nwhich nodes of which, or, where that is NULL, all, and all links, as
 * comma separated values. */
void topology_show_csv(const struct mapcore_topo *topo,
                       const uint32_t *which,
                       uint32_t nwhich);
void topology_links_csv(const struct mapcore_topo *topo);
/* Every link, in the direction that it has, as JSON. Errors: EIO. */
int topology_links_json(const struct mapcore_topo *topo,
                        struct mapcore_error *err);
#endif
