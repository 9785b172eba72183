/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_order.h - in which order the messages of a profile's types go, where
 * that was recorded */
#ifndef TOOLS_GRAPH_ORDER_H
#define TOOLS_GRAPH_ORDER_H

#include "tools/inputs/graphs.h"

/* Reads type[].messages, is_directed and order of a profile's types, of those
 * that have no phases: of its file `messages` and those of its phases; and
 * type[].ordered, where flows know their direction and go in several stages.
 * Where only one direction of a pair is there the other goes with it; a type
 * with a pair of which neither is has no order. Errors: those of
 * graph_messages_open; ERANGE (file and line). */
int graph_order_open(struct graph_types *types, const char *folder);
/* The same of what graphs_open_types has read; where messages take any time by
 * these rates it notes of which types no number is known. */
int graph_order_open_source(struct graph_types *types,
                            const struct graph_source *source,
                            const struct mapcore_host_rates *rates,
                            struct mapcore_error *err);

#endif
