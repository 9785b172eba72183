/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_plan.h - where the vertices of a graph go, as `topomap plan` has it; no
 * MPI in it */
#ifndef TOPOMAP_CART_GRAPH_PLAN_H
#define TOPOMAP_CART_GRAPH_PLAN_H

#include <stdbool.h>
#include <stdint.h>

/* Sent between ranks as it is. */
struct graph_edge {
    int from, to, weight; /* 0 .. ntasks - 1, and >= 0 */
};

/* A node's name, NUL-terminated; "": not known. */
#define GRAPH_NAME_MOST 256

/* Borrowed. */
struct graph_job {
    uint32_t ntasks;
    const int *leader; /* [ntasks] a rank's node: the lowest rank on it */
    const char (*name)[GRAPH_NAME_MOST]; /* [ntasks] of that node */
    const struct graph_edge *edges;
    uint32_t nedges;
};

/* Vertex r is with rank r. Fills vertex[ntasks], the one that each rank takes
 * over, and returns true where the command knows a mapping with less on the
 * links of the network than that; nodes that no network is described for count
 * as equally far from each other. False, too, where it fails. Runs a process,
 * and a second one where the first knows no such nodes, each for seconds at
 * most. */
bool graph_plan(int *vertex, const struct graph_job *job, double seconds);

#endif
