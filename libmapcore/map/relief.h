/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* relief.h - traffic taken off the links that need longest */
#ifndef MAPCORE_MAP_RELIEF_H
#define MAPCORE_MAP_RELIEF_H

#include "base/rng.h"
#include "map/problem.h"

/* Changes host[ntasks] (which must fit) so that the slowest link needs less
 * time, bytes / capacity on the routes of the topology. In each of `rounds`
 * rounds the links within a twentieth of the slowest are found with the edges
 * that cross them; then random tasks of those edges are moved next to another
 * neighbour, or near where they are, or exchanged with the tenant of a place
 * there, wherever the sum over all links of time^16 falls. What routes carry is
 * kept exactly. The slowest link never gets slower.
 * *cut: the clock was up, and host is as it was when that was seen. O(edges
 * x diameter) a round. Errors: ENOMEM. */
int relief_run(uint32_t *host,
               bool *cut,
               const struct map_problem *problem,
               uint32_t rounds,
               struct rng *rng,
               struct mapcore_error *err);

#endif
