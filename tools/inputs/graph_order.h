/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_order.h - in which order the messages of a profile's types go, where
 * that was recorded */
#ifndef TOOLS_GRAPH_ORDER_H
#define TOOLS_GRAPH_ORDER_H

#include "tools/inputs/graphs.h"

/* Reads type[].order of what graphs_open_types has read, of those types that
 * have no phases: of a profile's file `messages` and those of its phases. Where
 * only one direction of a pair is there the other goes with it; a type with a
 * pair of which neither is has none. Errors: EIO, ETRUST (no regular file),
 * EPARSE, ERANGE (file and line), ENOMEM. */
int graph_order_open(struct graph_types *types,
                     const struct graph_source *source,
                     struct mapcore_error *err);

#endif
