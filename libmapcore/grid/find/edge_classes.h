/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* edge_classes.h - classes of parallel edges; inside grid */
#ifndef MAPCORE_GRID_EDGE_CLASSES_H
#define MAPCORE_GRID_EDGE_CLASSES_H

#include "graph/csr.h"
#include "graph/graph.h"

#include <stdbool.h>

/* The heavy edges of a graph, and which of them are parallel: opposite edges of
 * squares (4-cycles) are, and the edges of triangles count as such. In a
 * Cartesian product of graphs all edges of a class belong to one factor
 * (Imrich, Klavzar, Product Graphs, 2000, section 4); in a grid a class is the
 * edges between two neighbouring layers. */
struct edge_classes {
    uint32_t n;
    size_t *row;    /* [n + 1] */
    uint32_t *task; /* [row[n]], ascending in a row */
    uint32_t *edge; /* [row[n]], number of the edge */
    uint32_t nedges;
    uint32_t *end[2]; /* [nedges] each, end[0] < end[1] */
    uint32_t nclasses;
    uint32_t *edge_class; /* [nedges], or MAPCORE_NONE: edges that stand alone
                        among others that do not: noise */
    uint32_t *size;       /* [nclasses] edges */
};

/* Edges of at least least bytes. Ended by edge_classes_clear, also after a
 * failure. Time: the sum over all edges of the degrees of both ends. Errors:
 * ENOMEM. */
int edge_classes_open(struct edge_classes *out,
                      const struct mapcore_graph *graph,
                      uint64_t least,
                      struct mapcore_error *err);
void edge_classes_clear(struct edge_classes *classes);

/* The class of the edge between a and b, or MAPCORE_NONE. O(log degree). */
uint32_t edge_classes_of(const struct edge_classes *classes,
                         uint32_t a,
                         uint32_t b);

#endif
