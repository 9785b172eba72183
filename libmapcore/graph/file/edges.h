/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edges.h - edges in any order, as matrices and lists give them, until they are
 * a graph */
#ifndef MAPCORE_GRAPH_EDGES_H
#define MAPCORE_GRAPH_EDGES_H

#include "base/text.h"
#include "graph/graph.h"

#include <stdbool.h>

/* All zero at first, but for the last. */
struct edges {
    struct mapcore_edge *edge;
    size_t n, capacity;
    uint64_t total;          /* bytes of all of them */
    const struct text *text; /* whose line a message names */
};
void edges_clear(struct edges *edges);

/* Ends the line at a comment and makes blanks of commas and semicolons. */
void edges_clean_line(char *line);
/* A number of bytes as spreadsheets write it, 1e6 or 1000.0, to the nearest
 * whole one, but for what is more than 0 to no less than 1. */
bool edges_take_bytes(uint64_t *out, char *word);

/* Adds an edge, unless it is a self loop or of 0 bytes. Errors: ERANGE,
 * ENOMEM. */
int edges_add(struct edges *edges, uint32_t a, uint32_t b, uint64_t bytes);

/* The graph of all of them. is_told: the number of tasks is the caller's; else
 * it is a number in the file, and must bear some relation to what
 * is there. Errors: ERANGE, ENOMEM. */
int edges_to_graph(struct mapcore_graph **out,
                   const struct edges *edges,
                   uint32_t ntasks,
                   bool is_told);

#endif
