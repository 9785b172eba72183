/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* no_graph.h - a text that is meant to be a task graph, and is a mapping of
 * ranks */
#ifndef MAPCORE_GRAPH_NO_GRAPH_H
#define MAPCORE_GRAPH_NO_GRAPH_H

#include "base/text.h"

/* How many ranks a line has that is an order of them as MPICH_RANK_ORDER has
 * it: each number from 0 to n - 1 once, with commas between them, n at least 2.
 * 0: it is none. O(n). */
size_t no_graph_order(const char *line);

enum no_graph {
    NO_GRAPH_ORDER,      /* of ranks, too many to be an edge */
    NO_GRAPH_EDGE_ORDER, /* of two or three, which may be meant as an edge */
    NO_GRAPH_MAPPING,    /* nodes and slots, which may be meant as edges */
};

/* Says in err what a text is that begins in this line; name: of its file.
 * Returns EPARSE. */
int no_graph_refuse(enum no_graph what,
                    const char *name,
                    size_t line,
                    struct mapcore_error *err);

/* For a text, read from its beginning, of which no format was told and that a
 * reader has refused: where all of it is a mapping, lines of nodes and slots
 * from 0, or an order of ranks, err says so in place of what it said. Returns
 * error, the reader's. O(text). */
int no_graph_explain(int error, struct text *text, struct mapcore_error *err);

#endif
