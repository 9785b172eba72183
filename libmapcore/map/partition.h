/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partition.h - a task graph cut into parts with few bytes between them */
#ifndef MAPCORE_MAP_PARTITION_H
#define MAPCORE_MAP_PARTITION_H

#include "graph/graph.h"

/* Cuts the graph into nparts >= 1 parts, part[ntasks], whose numbers of tasks
 * are in proportion to size[nparts] (each > 0) as well as METIS manages; some
 * may be empty. METIS 5 (Karypis and Kumar, 1998), multilevel recursive
 * bisection: with the few tasks a part that a host has, it cut up to 1.7 times
 * fewer bytes than multilevel k-way, in a quarter of the time, and neighbouring
 * parts get neighbouring numbers. A graph without edges is cut into runs of
 * tasks, one with no more tasks than parts into single tasks, neither with
 * METIS.
 *
 * METIS counts bytes in 32 bits: where twice the sum of all bytes exceeds 2^30
 * every weight is divided by the same power of two and rounded up.
 *
 * Same inputs and seed, same parts. One call at a time: others wait. METIS
 * replaces the handlers of SIGTERM and SIGABRT while it runs and uses rand();
 * all three are as before on return, and SIGTERM is held back meanwhile in the
 * calling thread. Errors: ERANGE (more than 2^28 edges, or tasks), ENOMEM,
 * EINVAL (METIS refuses). */
int partition_graph(uint32_t *part,
                    const struct mapcore_graph *graph,
                    uint32_t nparts,
                    const uint32_t *size,
                    uint32_t seed,
                    struct mapcore_error *err);

#endif
