/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* least_loaded.h - link loads when every message takes the least loaded of the
 * shortest paths */
#ifndef MAPCORE_METRIC_LEAST_LOADED_H
#define MAPCORE_METRIC_LEAST_LOADED_H

#include "alloc/alloc.h"
#include "graph/graph.h"

/* Adds to load[nlinks], as link_loads.h counts. ICS'17 section 5.1: for each
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
                     struct mapcore_error *err);

/* The same path by path. */
struct least_loaded;

/* Borrows topo and load[nlinks], in any unit. Errors: ENOMEM. */
int least_loaded_open(struct least_loaded **out,
                      const struct mapcore_topo *topo,
                      uint64_t *load,
                      struct mapcore_error *err);
void least_loaded_close(struct least_loaded *walker);

/* Adds amount to the path from one host of the topology to another; writes
 * its links in order into links[diameter], unless that is NULL, and returns how
 * many there are. */
uint32_t least_loaded_walk(struct least_loaded *walker,
                           uint32_t a,
                           uint32_t b,
                           uint64_t amount,
                           uint32_t *links);

#endif
