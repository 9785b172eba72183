/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stop.h - the end of a search as a place in memory, for callers in languages
 * that cannot well lend a function which every thread of a search asks */
#ifndef MAPCORE_MAP_STOP_H
#define MAPCORE_MAP_STOP_H

#include "base/error.h"

#include <stdbool.h>

/* The caller's, written by it while a search runs on another thread; never
 * before or after. All zero: nothing is used up, go on. */
struct mapcore_stop {
    double spent;    /* 0 .. 1, the share of the time that is used up */
    uint64_t is_set; /* not 0: end, with the best by then */
};

/* Both take such a place and are what expired and spent of struct
 * mapcore_search want, with it as expired_arg. */
MAPCORE_API bool mapcore_stop_expired(void *stop);
MAPCORE_API double mapcore_stop_spent(void *stop);

#endif
