/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_moves.h - permutations of the hosts that take one of them to another and
 * leave distances much as they are */
#ifndef MAPCORE_MAP_HOST_MOVES_H
#define MAPCORE_MAP_HOST_MOVES_H

#include "alloc/alloc.h"

#include <stdbool.h>

/* How many moves there are at most. */
#define HOST_MOVES 9

/* Move number i < HOST_MOVES that takes host ends[0] to host ends[1], as
 * to_of[nhosts]; *exists: false when there is none of that number. Number 0
 * turns a torus or mesh round by whole steps, in the coordinates that the
 * allocation has; the others exchange all hosts up to a distance of one with
 * those of the other, in the order of distance: on a tree, two switches and all
 * that is below them. O(nhosts log nhosts). Errors: ENOMEM. */
int host_moves_get(uint32_t *to_of,
                   bool *exists,
                   const struct mapcore_alloc *alloc,
                   const uint32_t ends[2],
                   uint32_t i,
                   struct mapcore_error *err);

#endif
