/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dist_graph.h - MPI_Dist_graph_create and MPI_Dist_graph_create_adjacent with
 * ranks reordered */
#ifndef TOPOMAP_CART_DIST_GRAPH_H
#define TOPOMAP_CART_DIST_GRAPH_H

#include <mpi.h>

/* What the calls give of one rank; borrowed. Weights may be MPI_UNWEIGHTED. */
struct dist_edges {
    int n;
    const int *sources, *degrees, *destinations, *weights;
};
struct dist_neighbours {
    int indegree;
    const int *sources, *sourceweights;
    int outdegree;
    const int *destinations, *destweights;
};

/* Both make a communicator of comm's processes in which rank r takes over
 * vertex r of the graph; the caller's to free. MPI_COMM_NULL: all stay, or
 * something is wrong with the graph, which MPI finds, too. Collective. */
int dist_graph_order(MPI_Comm *out,
                     MPI_Comm comm,
                     const struct dist_edges *mine);
/* theirs: the neighbours of that vertex, whose memory is *memory, owned; both
 * are set where *out is a communicator. */
int dist_graph_order_adjacent(MPI_Comm *out,
                              struct dist_neighbours *theirs,
                              int **memory,
                              MPI_Comm comm,
                              const struct dist_neighbours *mine);

#endif
