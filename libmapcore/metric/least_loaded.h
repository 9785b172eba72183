/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* least_loaded.h - link loads when every message takes the least loaded of the
 * shortest paths */
#ifndef MAPCORE_METRIC_LEAST_LOADED_H
#define MAPCORE_METRIC_LEAST_LOADED_H

#include "alloc/alloc.h"
#include "graph/graph.h"

/* Adds to load[nlinks], in half bytes. ICS'17 section 5.1: for each pair of
 * communicating tasks "the currently least loaded shortest path" is taken, and
 * its links' loads are updated. What the paper leaves open: pairs come in
 * ascending order (lower task, then higher), way there before way back; a path
 * is judged by its most loaded link (bytes / capacity), then by the sum over
 * its links, as they compare hop by hop from the source; ties go to the links
 * that come first. Work: for each edge between different switches twice the
 * links of all its shortest paths. Errors: ENOMEM. */
int least_loaded_add(uint64_t *load,
                     const struct mapcore_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     struct mapcore_error *err);

#endif
