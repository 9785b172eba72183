/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_messages.h - how many messages the types of a profile are, and which
 * way their bytes go: its files `messages` */
#ifndef TOOLS_GRAPH_MESSAGES_H
#define TOOLS_GRAPH_MESSAGES_H

#include "profiles/message_lines.h"
#include "tools/inputs/graphs.h"

typedef int graph_messages_take(void *arg,
                                size_t type,
                                const struct message_line *line,
                                struct mapcore_error *err);

/* Gives take each line of the profile's file `messages` and those of its phases
 * with the number of its type; lines of no type, and of no messages, are passed
 * over. Files that are not there have no lines. Errors: EIO, ETRUST (no regular
 * file), EPARSE (file and line), ENOMEM, and those of take. */
int graph_messages_read(const struct graph_types *types,
                        const char *folder,
                        graph_messages_take *take,
                        void *arg);

typedef int graph_messages_take_order(void *arg,
                                      size_t type,
                                      const struct message_order *order,
                                      struct mapcore_error *err);
/* The same for each pair of their order. Errors: also ERANGE. */
int graph_messages_read_order(const struct graph_types *types,
                              const char *folder,
                              graph_messages_take_order *take,
                              void *arg);

/* Reads type[].messages and is_directed, of those types of a profile that have
 * no phases; the flows of phases know theirs. Errors: as above. */
int graph_messages_open(struct graph_types *types, const char *folder);

#endif
