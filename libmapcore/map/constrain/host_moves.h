/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_moves.h - a permutation of the hosts of a torus that takes one of them
 * to another and leaves distances much as they are */
#ifndef MAPCORE_MAP_HOST_MOVES_H
#define MAPCORE_MAP_HOST_MOVES_H

#include "alloc/alloc.h"

#include <stdbool.h>

/* Turns a torus or mesh round by whole steps, in the coordinates that the
 * allocation has, so that host `from` comes to host `to`, as to_of[nhosts];
 * *exists: false where that is no permutation, and on other networks. (That two
 * parts of any network change places gained 0.15% at most.) O(nhosts log
 * nhosts). Errors: ENOMEM. */
int host_moves_turn(uint32_t *to_of,
                    bool *exists,
                    const struct mapcore_alloc *alloc,
                    uint32_t from,
                    uint32_t to,
                    struct mapcore_error *err);

#endif
