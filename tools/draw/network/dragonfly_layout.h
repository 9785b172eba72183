/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dragonfly_layout.h - how a dragonfly is drawn */
#ifndef TOOLS_DRAW_DRAGONFLY_LAYOUT_H
#define TOOLS_DRAW_DRAGONFLY_LAYOUT_H

#include "tools/draw/network/network_layout.h"

struct topo_shape;

/* Lays out a dragonfly as a ring of its groups: chords are links between
 * routers, or between groups where routers are many, and what is at a router or
 * inside a group is a line outwards. Errors: ENOMEM. */
int dragonfly_layout_make(struct network_layout *out,
                          const struct mapcore_topo *topo,
                          const struct topo_shape *shape,
                          struct mapcore_error *err);

#endif
