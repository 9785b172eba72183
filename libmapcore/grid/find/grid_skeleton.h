/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_skeleton.h - the Cartesian skeleton of a graph: the edges of a stencil
 * that move in one dimension; inside grid */
#ifndef MAPCORE_GRID_SKELETON_H
#define MAPCORE_GRID_SKELETON_H

#include "graph/graph.h"

#include <stdbool.h>

/* Rows of neighbours, both directions of an edge. */
struct grid_skeleton {
    uint32_t n;
    size_t *row;    /* [n + 1] */
    uint32_t *task; /* [row[n]], ascending in a row */
};

/* Edges of at least least bytes, without those of hubs; where most of them are
 * in triangles without the diagonals: the Cartesian skeleton of a strong
 * product of graphs (Hammack and Imrich, On Cartesian skeletons of graphs, Ars
 * Mathematica Contemporanea 2, 2009), with numbers of common neighbours
 * compared instead of sets, so that a few missing edges do no harm. Then
 * without edges in far fewer squares than most. Ended by grid_skeleton_clear,
 * also after a failure. Time: the sum over all edges of the degrees of both
 * ends. Errors: ENOMEM. */
int grid_skeleton_open(struct grid_skeleton *out,
                       const struct mapcore_graph *graph,
                       uint64_t least,
                       struct mapcore_error *err);
void grid_skeleton_clear(struct grid_skeleton *skeleton);

/* Moves *i and *k on in the rows of x and y to the next task that both have as
 * neighbour; false behind the last. */
bool grid_skeleton_common(const struct grid_skeleton *skeleton,
                          uint32_t x,
                          uint32_t y,
                          size_t *i,
                          size_t *k);

/* The neighbours that make a task one that talks with everybody, beside the
 * grid: far more than others have, and few have as many. */
size_t grid_hub_degree(const struct mapcore_graph *graph);

#endif
