/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rail_search.h - searches where nodes have several network interfaces */
#ifndef MAPCORE_MAP_RAIL_SEARCH_H
#define MAPCORE_MAP_RAIL_SEARCH_H

#include "map/constrain/units.h"

/* Calls run with the network by rail (mapcore_alloc_by_rail), where each
 * interface is a host that takes those of a node's slots that use it, and makes
 * of what that gives a result of the nodes. A pinned task is on the next
 * interface of its node; what nodes are inside is not looked at, and the slots
 * of an interface are taken in ascending order. Errors: those of run. */
int rail_search(struct mapcore_result *out,
                const struct units_request *request,
                units_run *run,
                struct mapcore_error *err);

#endif
