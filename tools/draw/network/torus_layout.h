/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus_layout.h - how a torus is drawn */
#ifndef TOOLS_DRAW_TORUS_LAYOUT_H
#define TOOLS_DRAW_TORUS_LAYOUT_H

#include "tools/draw/network/network_layout.h"

struct topo_shape;

/* Lays out a torus or mesh as planes of its first two dimensions, side by side;
 * links of the others are short lines at their routers. Large ones are drawn by
 * blocks of routers. Errors: ENOMEM. */
int torus_layout_make(struct network_layout *out,
                      const struct mapcore_topo *topo,
                      const struct topo_shape *shape,
                      struct mapcore_error *err);

#endif
