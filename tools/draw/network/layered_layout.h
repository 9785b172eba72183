/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* layered_layout.h - how a tree, and any other network, is drawn */
#ifndef TOOLS_DRAW_LAYERED_LAYOUT_H
#define TOOLS_DRAW_LAYERED_LAYOUT_H

#include "tools/draw/network/network_layout.h"

/* Lays it out in levels: nodes at the bottom, then switches by how many links
 * they are from a node. Each level is ordered by what hangs below; of more than
 * fit one beside another several are one dot. O(links log links). Errors:
 * ENOMEM. */
int layered_layout_make(struct network_layout *out,
                        const struct mapcore_topo *topo,
                        struct mapcore_error *err);

#endif
