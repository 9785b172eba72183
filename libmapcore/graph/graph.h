/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph.h - the task graph: who talks to whom, and how many bytes */
#ifndef MAPCORE_GRAPH_GRAPH_H
#define MAPCORE_GRAPH_GRAPH_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* An undirected task graph G_t = (V_t, E_t) (Galvez, Jain, Kale, ICS'17,
 * section 3.1), immutable once made: w(e) is the bytes of both directions. */
struct mapcore_graph;

/* One edge as given: both directions together, in any order of a and b. */
struct mapcore_edge {
    uint32_t a, b;
    uint64_t bytes;
};

/* Makes a graph of ntasks tasks from nedges edges; edges given twice (either
 * way round) are added up, self loops and edges of 0 bytes are left out.
 * edges is not kept. Errors: EINVAL (a task >= ntasks; no task), ERANGE (the
 * sum of all bytes must fit 63 bits), ENOMEM. */
MAPCORE_API int mapcore_graph_create(struct mapcore_graph **out,
                                     uint32_t ntasks,
                                     const struct mapcore_edge *edges,
                                     size_t nedges,
                                     struct mapcore_error *err);
MAPCORE_API void mapcore_graph_destroy(struct mapcore_graph *graph);

MAPCORE_API uint32_t mapcore_graph_ntasks(const struct mapcore_graph *graph);
/* Undirected edges. */
MAPCORE_API size_t mapcore_graph_nedges(const struct mapcore_graph *graph);
/* Sum of w(e) over all edges, each once. */
MAPCORE_API uint64_t mapcore_graph_bytes(const struct mapcore_graph *graph);

/* The neighbours of a task, ascending, and the bytes to each, both borrowed
 * from the graph; returns how many. */
MAPCORE_API size_t mapcore_graph_neighbours(const struct mapcore_graph *graph,
                                            uint32_t task,
                                            const uint32_t **tasks,
                                            const uint64_t **bytes);

/* Adds up graphs of the same number of tasks edge by edge (the Sum graph of
 * ICS'17 section 4.1.1); with weights, the edges of each multiplied by the
 * share that its weight has in the sum of all weights (the Weighted-sum graph;
 * a weight is the time spent in the type): weights 6 and 4 multiply by 0.6 and
 * 0.4. The arithmetic is of integers: shares are rounded to the nearest 2^-20,
 * but to no less than that when above 0; the products of a pair of tasks are
 * added up exactly, then rounded once, halves up, and to no less than 1 byte.
 * So one graph alone stays as it is. Weights that are all 0 count as equal.
 * Errors: EINVAL (no graph; different numbers of tasks; a weight that is
 * negative or no number), ERANGE, ENOMEM. */
MAPCORE_API int mapcore_graph_sum(
    struct mapcore_graph **out,
    const struct mapcore_graph *const *graphs,
    const double *weights, /* [ngraphs], or NULL */
    size_t ngraphs,
    struct mapcore_error *err);

/* The same graph with weights that, added up over both rows of every edge, stay
 * below 2^bits: what a partitioner whose integers have bits + 1 bits can take
 * (METIS as Debian builds it: 31). Unchanged when it fits already; else every
 * edge is scaled by the same factor, rounded down, plus 1. Errors: EINVAL (bits
 * is not 1 to 63), ERANGE (too many edges), ENOMEM. */
MAPCORE_API int mapcore_graph_scale(struct mapcore_graph **out,
                                    const struct mapcore_graph *graph,
                                    unsigned bits,
                                    struct mapcore_error *err);

/* What thinning keeps: edges of at least least_bytes that are among the
 * `neighbours` heaviest of one of their ends at least (0: of any rank; ties go
 * to the lower task). So no task loses its heaviest neighbour, and a task that
 * many others need may keep more than `neighbours`. */
struct mapcore_thinning {
    uint32_t neighbours;
    uint64_t least_bytes;
};
/* What it left out. */
struct mapcore_thinned {
    size_t edges;
    uint64_t bytes;
};
/* Makes a sparser graph; dropped may be NULL. Time O(E log d). Errors: ENOMEM.
 */
MAPCORE_API int mapcore_graph_thin(struct mapcore_graph **out,
                                   struct mapcore_thinned *dropped,
                                   const struct mapcore_graph *graph,
                                   const struct mapcore_thinning *thinning,
                                   struct mapcore_error *err);

/* The share of communication time that C* makes up by default. */
#define MAPCORE_CRITICAL_SHARE 0.9

/* Finds the critical types C* among n types of call (Galvez, Jain, Kale,
 * ICS'17, section 4.1.1): first the large collectives go, then the heaviest
 * types are taken until together they have at least `share` of the time of
 * those that are left. seconds[n]: time spent in each; is_large[n]: collectives
 * over a substantial part of the tasks; critical[n]: set for each type. The
 * paper speaks of a share of the total communication time: here the large
 * collectives are not counted in it, since with much time in them no set of
 * the others could reach it. Types of equal time are taken in the order of
 * their index; when none took any time (a profile without a clock), all that
 * are not large are critical. n is small: the time is O(n^2). Errors: EINVAL (a
 * time that is negative or no number; a share that is not above 0 and at most
 * 1). */
MAPCORE_API int mapcore_critical_select(bool *critical,
                                        const double *seconds,
                                        const bool *is_large,
                                        size_t n,
                                        double share,
                                        struct mapcore_error *err);

#endif
