/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* link_loads.h - what the links of a network carry of many messages that take
 * its static routes, or each the least loaded of the shortest paths */
#ifndef MAPCORE_METRIC_LINK_LOADS_H
#define MAPCORE_METRIC_LINK_LOADS_H

#include "alloc/alloc.h"
#include "base/array.h"
#include "graph/graph.h"

/* Loads count quarters of what one direction of a link carries in bytes, since
 * each way takes half of an edge and each way round a ring half of a tie: whole
 * numbers, and below 2^64, for no direction carries more than half of all
 * bytes. */
enum { LINK_LOADS_UNITS = 4 /* a byte */ };

struct link_loads;

/* Adds to load[nlinks], which is borrowed and begins as zeros. nroutes: about
 * how many will be added; the loads do not depend on it. The arena's;
 * NULL: ENOMEM. */
struct link_loads *link_loads_open(struct arena *arena,
                                   const struct mapcore_topo *topo,
                                   uint64_t *load,
                                   size_t nroutes,
                                   bool ties_are_whole);

/* Puts half of the bytes of an edge on the links of topo_split_route(a, b),
 * hosts of the topology; where ties are whole, all of that on both ways of one.
 * O(dimensions) on a torus of fewer links than routes, else O(links of the
 * route). */
void link_loads_add(struct link_loads *loads,
                    uint32_t a,
                    uint32_t b,
                    uint64_t bytes);

/* Only now load[] holds what they carry. */
void link_loads_end(struct link_loads *loads);

/* Adds to load[nlinks], as above. ICS'17 section 5.1: for each
 * pair of communicating tasks "the currently least loaded shortest path" is
 * taken, and its links' loads are updated. What the paper leaves open: pairs
 * come in ascending order (lower task, then higher), way there before way back;
 * a path is judged by its most loaded link (bytes / capacity), then by the sum
 * over its links, as they compare hop by hop from the source; ties go to the
 * links that come first. Work: for each edge between different switches twice
 * the links of all its shortest paths. Errors: ENOMEM. */
int least_loaded_add(uint64_t *load,
                     const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     struct arena *arena);

/* The same path by path. */
struct least_loaded;

/* Borrows topo and load[nlinks], in any unit. The arena's; NULL: ENOMEM. */
struct least_loaded *least_loaded_open(struct arena *arena,
                                       const struct mapcore_topo *topo,
                                       uint64_t *load);

/* Adds amount to the path from one host of the topology to another; writes
 * its links in order into links[diameter], unless that is NULL, and returns how
 * many there are. */
uint32_t least_loaded_walk(struct least_loaded *walker,
                           uint32_t a,
                           uint32_t b,
                           uint64_t amount,
                           uint32_t *links);

#endif
