/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* box.h - the box of a torus around some of its routers */
#ifndef MAPCORE_CART_BOX_H
#define MAPCORE_CART_BOX_H

#include "base/error.h"

/* The smallest box around n >= 1 routers of a 3-D torus. at: [n], position of
 * each along the three axes, changed into its place in the box; extent: routers
 * of the box along each axis; ring: routers of the torus along each axis, 0
 * where it has no ring. The box goes across the end of a ring where that is
 * smaller, and of boxes of equal size it begins behind the first gap. Errors:
 * ENOMEM. */
int box_around(uint32_t (*at)[3],
               uint32_t extent[3],
               uint32_t n,
               const uint32_t ring[3],
               struct mapcore_error *err);

#endif
