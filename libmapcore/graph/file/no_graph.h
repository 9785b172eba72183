/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* no_graph.h - a text that is meant to be a task graph, and is a mapping of
 * ranks */
#ifndef MAPCORE_GRAPH_NO_GRAPH_H
#define MAPCORE_GRAPH_NO_GRAPH_H

#include "base/text.h"

/* Whether a line is an order of ranks as MPICH_RANK_ORDER has it: each number
 * from 0 to n - 1 once, with commas between them, n at least 2. O(n). */
bool no_graph_is_order(const char *line);

/* For a text, read from its beginning, of which no format was told and that a
 * reader has refused: where all of it is a mapping, lines of nodes and slots
 * from 0, or an order of ranks, err says so in place of what it said. Returns
 * error, the reader's. O(text). */
int no_graph_explain(int error, struct text *text, struct mapcore_error *err);

#endif
