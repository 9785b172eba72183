/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_rows.h - who sits where in the first nodes, and what flows between them
 */
#ifndef TOOLS_DRAW_NODE_ROWS_H
#define TOOLS_DRAW_NODE_ROWS_H

#include "tools/draw/draw_subject.h"
#include "json/json.h"

/* "nodes": slots and hardware of the first nodes (tools/pictures/nodes.py says
 * how). */
void node_rows_put(struct json_writer *writer,
                   const struct draw_subject *subject);
/* "flows": what tasks on those nodes exchange with others, from each of the two
 * that is there. */
void node_rows_put_flows(struct json_writer *writer,
                         const struct draw_subject *subject,
                         const struct mapcore_mapping *mapping);

#endif
