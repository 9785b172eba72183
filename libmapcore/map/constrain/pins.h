/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pins.h - tasks whose host is not ours to choose */
#ifndef MAPCORE_MAP_PINS_H
#define MAPCORE_MAP_PINS_H

#include "map/problem.h"

/* Whether pin[ntasks] (hosts, or MAPCORE_NONE; NULL: none) can be met at all.
 * Errors: EINVAL (a host that is not there, more tasks on one than it has
 * slots), ENOMEM. */
int pins_check(const uint32_t *pin,
               const struct mapcore_alloc *alloc,
               uint32_t ntasks,
               struct mapcore_error *err);

/* Brings the pinned tasks of host[ntasks] (a mapping that fits, as a mapper
 * gives it) to their hosts. A mapper sees the whole graph, so what it puts
 * around a pinned task is right, and stands at the wrong place: on a torus or
 * mesh all that the hosts hold is turned round so that the first pinned task is
 * where it belongs, then each pinned task that is elsewhere is exchanged with
 * the task, or put on the free slot, of its host that adds the fewest
 * hop-bytes. Turned or not, the better is taken. Nothing changes where nothing
 * is out of place. O(edges); from
 * MAP_LARGE tasks on only exchanges. Errors: ENOMEM. */
int pins_settle(uint32_t *host,
                const struct map_problem *problem,
                struct mapcore_error *err);

#endif
