/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* box.h - the box of a torus around some of its routers */
#ifndef MAPCORE_CART_BOX_H
#define MAPCORE_CART_BOX_H

#include "base/error.h"

/* The smallest box around routers at[n], across the end of a ring where that is
 * smaller; of equal ones behind the first gap. Counts them from it. Errors:
 * ENOMEM. */
int box_around(uint32_t (*at)[3],
               uint32_t extent[3],
               uint32_t n,
               const uint32_t ring[3],
               struct mapcore_error *err);

#endif
