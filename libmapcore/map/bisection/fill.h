/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fill.h - the tasks of parts onto the hosts of these, however far the parts
 * were halved */
#ifndef MAPCORE_MAP_FILL_H
#define MAPCORE_MAP_FILL_H

#include "map/bisection/dual.h"

/* host[ntasks]: of a part that is a single host, that one. Another one's hosts
 * are filled one after the other, in the order of the tasks' numbers or breadth
 * first along the part's edges, whichever has fewer bytes between hosts that
 * are far from each other in that order: so what was cut short is something,
 * too. Tasks of such parts change their places in dual->task. O(E). Errors:
 * ENOMEM. */
int fill_hosts(uint32_t *host, struct dual *dual);

#endif
