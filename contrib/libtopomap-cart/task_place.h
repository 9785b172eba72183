/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_place.h - the parts of a node that a task is bound to */
#ifndef TOPOMAP_CART_TASK_PLACE_H
#define TOPOMAP_CART_TASK_PLACE_H

#include "libtopomap-cart/levels.h"

/* Fills package, NUMA node and L3 cache of out: the number of the one that
 * holds every CPU that the calling thread may use, or -1 when there is none
 * such. The rest of out stays. */
void task_place_find(struct levels_place *out);

#endif
