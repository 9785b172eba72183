/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rotation.h - what many routers of a torus hold moves on together, each to the
 * next one round a rectangle */
#ifndef MAPCORE_MAP_ROTATION_H
#define MAPCORE_MAP_ROTATION_H

#include "base/rng.h"
#include "map/problem.h"

struct arena;

/* The routers of an allocation of a torus or mesh, and the cells: what each of
 * them holds in a mapping, which stays together. */
struct rotation;

/* NULL without memory, or where nothing could be turned: the network is no
 * torus of two dimensions or more, its routers are a box without holes, in
 * which a grid lies well as it is, or fewer than four may change places. Those
 * may whose hosts are as many, of as many slots, as most routers' are, and hold
 * no pinned task. host: [ntasks]. The arena's; borrows problem. O(E log d). */
struct rotation *rotation_make(const struct map_problem *problem,
                               const uint32_t *host,
                               struct arena *arena);
/* Cells that may turn. */
uint32_t rotation_cells(const struct rotation *rotation);

struct rotation_how {
    double hot; /* in shares of the mean bytes between two cells */
    uint64_t proposals;
};

/* Anneals host[ntasks], which is the mapping that the cells were made of or
 * what came of that here, by how->proposals, from temperature hot
 * evenly down to 0. A change takes what
 * the routers on the rim of a rectangle hold one step on along it, absent ones
 * being skipped: a line that is displaced round a hole thereby hands that on to
 * another line, which exchanges of two cells never do without a great loss on
 * the way. One to four such rectangles lie above one another, for service nodes
 * come in blades. One in eight is an exchange of two cells that are near.
 * (Ours.) *timed_out: time was up, and host is as it was. O(rim x degree) a
 * change. Errors: ENOMEM. */
int rotation_run(uint32_t *host,
                 bool *timed_out,
                 const struct rotation *rotation,
                 const struct rotation_how *how,
                 struct rng *rng,
                 struct mapcore_error *err);

#endif
