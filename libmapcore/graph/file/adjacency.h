/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* adjacency.h - a graph as files list it, every edge in the rows of both its
 * ends, and the check that both say the same */
#ifndef MAPCORE_GRAPH_ADJACENCY_H
#define MAPCORE_GRAPH_ADJACENCY_H

#include "base/text.h"
#include "graph/csr.h"
#include "graph/graph.h"

/* Rows of neighbours as they are read, in any order; all zero at first. Arrays
 * grow with what is really there, whatever a header says. */
struct adjacency {
    struct mapcore_graph of; /* of.ntasks rows that have ended so far; load is
                                NULL where it is not said */
    size_t length;           /* neighbours so far */
    size_t *line;            /* [ntasks], where each row stands */
    size_t nrow, ntask, nbytes, nload, nline; /* capacities */
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

/* How tasks are called in messages: label[task], or first + task; and which one
 * a row is of, task[row], or that of its number. */
struct adjacency_names {
    const uint32_t *label, *task; /* NULL: none */
    uint32_t first;
};

/* Makes the graph of what is in rows; edges of weight 0 are left out.
 * Neighbours are tasks; lines and loads are in the order of tasks, too. nedges:
 * what the header says there are. No task may be its own neighbour. Errors:
 * EPARSE (an edge named twice or by one end only, or with two weights; another
 * number of edges), ERANGE, ENOMEM. */
int adjacency_to_graph(struct mapcore_graph **out,
                       struct adjacency *rows,
                       uint64_t nedges,
                       const struct adjacency_names *names,
                       const struct text *text,
                       struct mapcore_error *err);

#endif
