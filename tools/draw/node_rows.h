/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_rows.h - who sits where in the first nodes, and what flows between them
 */
#ifndef TOOLS_DRAW_NODE_ROWS_H
#define TOOLS_DRAW_NODE_ROWS_H

#include "tools/draw/draw_subject.h"
#include "json/json.h"

/* "nodes": of each mapping the rows of its first nodes (tools/pictures/nodes.py
 * says of what they consist). Errors: ENOMEM. */
int node_rows_put(struct json_writer *writer,
                  const struct draw_subject *subject,
                  struct mapcore_error *err);

#endif
