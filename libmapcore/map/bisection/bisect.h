/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect.h - a weighted graph cut in two, where every vertex may also like one
 * side better by itself */
#ifndef MAPCORE_MAP_BISECT_H
#define MAPCORE_MAP_BISECT_H

#include "base/array.h"
#include "base/rng.h"
#include "map/problem.h"

#include <stdbool.h>
#include <stddef.h>

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
    struct bisect_level *finer; /* the one before, or NULL */
};

/* By how many bits the weights of nedges edges, of these bytes in all, must
 * shrink so that their sum stays below 2^31, each rounded up. */
unsigned bisect_weight_shift(uint64_t bytes, uint64_t nedges);

/* The arena's, of n vertices and nedges entries of rows, to be filled by the
 * caller; NULL without memory. */
struct bisect_level *bisect_level_make(uint32_t n,
                                       size_t nedges,
                                       struct arena *arena);

/* The cost of level->side: the weight of the edges between the sides, and the
 * biases of side 1. */
int64_t bisect_level_cost(const struct bisect_level *level);

struct bisect_coarsening {
    uint32_t largest; /* tasks in a vertex at most, unless one has more */
    bool keeps;       /* only vertices of one side become one */
    bool by_clusters; /* of about four, not in pairs */
    bool pairs_all;   /* with any other, if need be: of an even number of
                         vertices none is left alone */
};

/* The next level: pairs or clusters of vertices become one. O(E). NULL without
 * memory. */
struct bisect_level *bisect_coarsen(struct bisect_level *level,
                                    const struct bisect_coarsening *how,
                                    struct rng *rng,
                                    struct arena *arena);

/* Gains of one power of two share 16 lists, so two gains of a list differ by
 * less than a sixteenth. */
#define GAINS_FINE  4
#define GAINS_LISTS 2048
/* The rings: one of each list of side 0, of side 1, and one of vertices that
 * are in none. */
#define GAINS_RINGS   (2 * GAINS_LISTS + 1)
#define GAINS_NOWHERE (2 * GAINS_LISTS)

/* A vertex in a refinement. */
struct bisect_gains_vertex {
    int64_t gain;    /* what the cost falls by when it moves */
    uint32_t degree; /* weight of all its edges */
    uint32_t moved;  /* in this pass, 0 or 1 */
};

/* Rings are doubly linked through an entry of their own, and nothing needs to
 * be asked to take a vertex out or put it in: what moves do most. */
struct bisect_gains_link {
    uint32_t next, before; /* indices of link[] */
};

struct bisect_gains {
    struct bisect_gains_vertex *vertex; /* [n] */
    struct bisect_gains_link *link;     /* [GAINS_RINGS + n] the rings, then the
                                    vertices */
    uint32_t *moved;                    /* [n] in order */
    uint32_t capacity;                  /* n */
    uint64_t used[2 * GAINS_LISTS / 64]; /* rings that may hold something */
    uint32_t top[2]; /* of a side, behind its last word of used that is not 0 */
};

/* Room for n vertices, the arena's; gains are all zero at first. Errors:
 * ENOMEM. */
int bisect_gains_reserve(struct bisect_gains *gains,
                         uint32_t n,
                         struct arena *arena);

/* Lists rise with gains: 0 .. GAINS_LISTS-1. */
uint32_t bisect_gains_list_of(int64_t gain);

/* Tasks on side 0. */
struct bisect_gains_bounds {
    uint64_t low, high;
    uint64_t slack; /* how far outside a pass may stray */
    uint64_t spill; /* how far outside still counts as within */
};

/* How long refinement goes on: a pass ends after `patience` moves without a
 * gain, passes end after one without a gain or after `passes`. */
struct bisect_gains_effort {
    uint32_t patience, passes;
};

/* Refines level->side in passes: always the best move that leaves side 0
 * within low - slack .. high + slack, each vertex once a pass; then back to the
 * best that was seen. How far side 0 is outside of low - spill .. high + spill
 * comes first, then the cost. Returns by how much the cost fell, which is
 * negative only where bounds had to be met. Room was reserved. */
int64_t bisect_gains_refine(struct bisect_gains *gains,
                            struct bisect_level *level,
                            const struct bisect_gains_bounds *bounds,
                            const struct bisect_gains_effort *effort);

/* Of a cut that is wanted soon. */
#define BISECT_QUICK                                                           \
    {                                                                          \
        16, 3                                                                  \
    }

/* Memory that one bisection after the other uses; all zero at first. */
struct bisect {
    struct arena kept, graphs, coarser; /* gains; of the graph; of a run */
    struct bisect_gains gains;
    struct bisect_level *graph; /* to be cut, and then its sides */
    uint8_t *best;              /* [n of graph], of the first cut */
    uint8_t *chosen;            /* [n of graph], of the drafts */
};

/* What is asked of a bisection. */
struct bisect_task {
    uint64_t low, high; /* tasks on side 0, both included */
    uint32_t tries;     /* first cuts to choose from, >= 1 */
    uint32_t drafts;    /* whole cuts with BISECT_QUICK to choose from, of which
                           the best is only bettered with effort; 0: none */
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
