/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adjacency.h - a graph as files list it, every edge in the rows of both its
 * ends, and the check that both say the same */
#ifndef MAPCORE_GRAPH_ADJACENCY_H
#define MAPCORE_GRAPH_ADJACENCY_H

#include "base/text.h"
#include "graph/graph.h"

/* Rows of neighbours as they are read, in any order inside a row; all zero at
 * first. Arrays grow with what is really there, whatever a header says. */
struct adjacency {
    uint32_t n;  /* rows ended so far */
    size_t *row; /* [n + 1] */
    size_t nrow; /* capacity */
    uint32_t *task;
    size_t ntask; /* capacity */
    uint64_t *bytes;
    size_t nbytes;  /* capacity */
    size_t *line;   /* [n], where each row stands */
    size_t nline;   /* capacity */
    size_t length;  /* neighbours so far */
    uint32_t *load; /* [n] of the tasks; NULL: not said */
    size_t nload;   /* capacity */
};
void adjacency_clear(struct adjacency *rows);

/* A neighbour of the row being read. Errors: ENOMEM. */
int adjacency_add(struct adjacency *rows,
                  uint32_t task,
                  uint64_t bytes,
                  struct mapcore_error *err);
/* The load of the task whose row is being read: all rows have one, or none;
 * what is more than UINT32_MAX counts as that. Errors: ENOMEM. */
int adjacency_set_load(struct adjacency *rows,
                       uint64_t load,
                       struct mapcore_error *err);
/* Ends the row, which stands on that line. Errors: ENOMEM. */
int adjacency_end_row(struct adjacency *rows,
                      size_t line,
                      struct mapcore_error *err);

/* How tasks are called in messages: label[task], or first + task. */
struct adjacency_names {
    const uint32_t *label; /* NULL: none */
    uint32_t first;
};

/* Makes the graph, whose arrays it takes from rows; edges of weight 0 are left
 * out. nedges: what the header says there are. No task may be its own
 * neighbour. Errors: EPARSE (an edge named twice or by one end only, or with
 * two weights; another number of edges), ERANGE, ENOMEM. */
int adjacency_to_graph(struct mapcore_graph **out,
                       struct adjacency *rows,
                       uint64_t nedges,
                       const struct adjacency_names *names,
                       const struct text *text,
                       struct mapcore_error *err);

#endif
