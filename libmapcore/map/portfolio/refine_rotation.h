/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_rotation.h - what is done with the time that is left when a mapping on
 * a torus with holes is refined: what routers hold is turned round */
#ifndef MAPCORE_MAP_REFINE_ROTATION_H
#define MAPCORE_MAP_REFINE_ROTATION_H

#include "map/portfolio/search.h"
#include "map/refine/refine.h"

/* Rounds of CHAINS chains of map/refine/rotation.h from the least average so
 * far, each from a temperature of its own, and longer from round to round; a
 * round goes on from the best of the one before, and in the end single tasks
 * descend. Ends with time or work, of which it does nothing without a bound, or
 * once half of the rounds, schedule_rotation.idle at least, have gained
 * nothing. Its units are the schedule's tasks. Errors: ENOMEM. */
int refine_rotation(struct search *search,
                    const struct refine_base *base,
                    struct mapcore_error *err);

#endif
