/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topology_show.h - a network as topomap topology show prints it */
#ifndef TOOLS_TOPOLOGY_SHOW_H
#define TOOLS_TOPOLOGY_SHOW_H

#include "tools/table/answer.h"
#include "topo/topo.h"

/* Prints on stdout what the network is, how many links of which capacity it
 * has, and where its hosts sit: the nwhich of which, or, where that is NULL,
 * the first few, or (all) all, which CSV always has. Errors: EIO, ENOMEM,
 * ENOTSUP (no python3 for CSV). */
int topology_show(const struct mapcore_topo *topo,
                  const uint32_t *which,
                  uint32_t nwhich,
                  bool all,
                  const struct answer_form *form,
                  struct mapcore_error *err);

/* Every link, in the direction that it has; as text a file that can be read as
 * a network again. Errors: the same. */
int topology_links(const struct mapcore_topo *topo,
                   const struct answer_form *form,
                   struct mapcore_error *err);

#endif
