/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect.h - a weighted graph cut in two, where every vertex may also like one
 * side better by itself */
#ifndef MAPCORE_MAP_BISECT_H
#define MAPCORE_MAP_BISECT_H

#include "base/array.h"
#include "base/rng.h"
#include "map/bisection/bisect_coarsen.h"
#include "map/bisection/bisect_gains.h"
#include "map/deadline.h"

/* Memory that one bisection after the other uses; all zero at first. */
struct bisect {
    struct arena kept, graphs, coarser; /* gains; of the graph; of a run */
    struct bisect_gains gains;
    struct bisect_level *graph; /* to be cut, and then its sides */
    uint8_t *best;              /* [n of graph], of the first cut */
};

/* What is asked of a bisection. */
struct bisect_task {
    uint64_t low, high; /* tasks on side 0, both included */
    uint32_t tries;     /* first cuts to choose from, >= 1 */
    bool keeps;         /* side is a cut already: only better it */
    bool by_clusters;   /* coarsens in fewer levels: quicker, and a bit worse */
    struct bisect_gains_effort effort;
};

void bisect_clear(struct bisect *bisect);

/* Makes bisect->graph, of n vertices and nedges entries of rows, to be filled
 * by the caller; the last one ends. Errors: ENOMEM. */
int bisect_begin(struct bisect *bisect,
                 uint32_t n,
                 size_t nedges,
                 struct mapcore_error *err);

/* Cuts the graph: multilevel, as Hendrickson and Leland (1995) and Karypis and
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

#endif
