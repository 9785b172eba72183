/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_gains.h - vertices of two sides by what it gains to move them, and
 * refinement with them */
#ifndef MAPCORE_MAP_BISECT_GAINS_H
#define MAPCORE_MAP_BISECT_GAINS_H

#include "map/bisection/bisect_coarsen.h"

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
 * ENOMEM.
 */
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

/* How long refinement goes on: a pass ends after so many moves that lead to
 * nothing better, passes end when one leads to nothing better or after so many.
 */
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

#endif
