/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect.h - a weighted graph cut in two, where every vertex may also like one
 * side better by itself */
#ifndef MAPCORE_MAP_BISECT_H
#define MAPCORE_MAP_BISECT_H

#include "base/error.h"
#include "base/rng.h"
#include "map/deadline.h"

/* A graph of one level of coarsening. The weights of all edges, each once, add
 * up to less than 2^31; biases stay below 2^60 added up. */
struct bisect_level {
    uint32_t n;
    size_t *row;      /* [n + 1] */
    uint32_t *vertex; /* [row[n]], every edge in both rows, no loops */
    uint32_t *weight; /* [row[n]] */
    uint32_t *size;   /* [n], tasks in a vertex, > 0 */
    int64_t *bias;    /* [n], cost on side 1 minus cost on side 0 */
    uint8_t *side;    /* [n], 0 or 1: the result */
    uint32_t *coarse; /* [n], vertex of the next level */
    size_t row_room, vertex_room, weight_room, size_room, bias_room, side_room,
        coarse_room;
};

/* The tables of a pass of refinement: vertices by gain. */
struct bisect_gains;

/* Memory that one bisection after the other uses. */
struct bisect {
    struct bisect_level *level; /* [room]; the caller's graph is level[0] */
    size_t nlevels, room;
    struct bisect_gains *gains;
    uint32_t *mark; /* [mark_room], of coarsening */
    uint8_t *best;  /* [best_room], of the first cut */
    size_t mark_room, best_room;
};

/* What is asked of a bisection. */
struct bisect_task {
    uint64_t low, high; /* tasks on side 0, both included */
    uint32_t tries;     /* first cuts to choose from, >= 1 */
    bool keeps;         /* side is a cut already: only better it */
};

/* Errors: ENOMEM. */
int bisect_create(struct bisect **out, struct mapcore_error *err);
void bisect_destroy(struct bisect *bisect);

/* Room for n vertices and nedges entries of rows in a level, to be filled by
 * the caller. Errors: ENOMEM. */
int bisect_reserve(struct bisect *bisect,
                   size_t level,
                   uint32_t n,
                   size_t nedges,
                   struct mapcore_error *err);

/* Cuts level[0]: multilevel, as Hendrickson and Leland (1995) and Karypis and
 * Kumar (1998): pairs of vertices that share much are merged until few are
 * left, these are cut, and on the way back every level is refined by moves of
 * single vertices as Fiduccia and Mattheyses (1982). The cost is the weight of
 * edges between the sides plus the biases, as in Pellegrini and Roman (1996,
 * dual recursive bipartitioning; their term for neighbours that are placed
 * already). When all sizes are 1, low <= high within reach, the tasks on side
 * 0 are within low and high; else as near as single moves lead.
 * *timed_out: time was up, side means nothing. O(E log n) or so. Errors:
 * ENOMEM. */
int bisect_run(struct bisect *bisect,
               bool *timed_out,
               const struct bisect_task *task,
               struct rng *rng,
               const struct map_deadline *deadline,
               struct mapcore_error *err);

/* The cost of level->side: see bisect_run. */
int64_t bisect_cost(const struct bisect_level *level);

#endif
