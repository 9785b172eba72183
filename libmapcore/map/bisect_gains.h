/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bisect_gains.h - vertices of two sides by what it gains to move them, and
 * refinement with them */
#ifndef MAPCORE_MAP_BISECT_GAINS_H
#define MAPCORE_MAP_BISECT_GAINS_H

#include "map/bisect.h"

/* Gains of one power of two share 16 lists, so two gains of a list differ by
 * less than a sixteenth. */
#define GAINS_FINE  4
#define GAINS_LISTS 2048

struct bisect_gains {
    int64_t *gain;    /* [n] what the cost falls by when a vertex moves */
    uint32_t *next;   /* [n] in its list, or MAPCORE_NONE */
    uint32_t *before; /* [n] in its list, or MAPCORE_NONE: the first */
    uint8_t *state;   /* [n] */
    uint32_t *moved;  /* [n] in order */
    size_t gain_room, next_room, before_room, state_room, moved_room;
    uint32_t head[2][GAINS_LISTS];
    uint64_t used[2][GAINS_LISTS / 64]; /* which lists have something */
};

/* Errors: ENOMEM. */
int gains_create(struct bisect_gains **out, struct mapcore_error *err);
void gains_destroy(struct bisect_gains *gains);
int gains_reserve(struct bisect_gains *gains,
                  uint32_t n,
                  struct mapcore_error *err);

/* Lists rise with gains: 0 .. GAINS_LISTS-1. */
uint32_t gains_list_of(int64_t gain);

/* Tasks on side 0. */
struct gains_bounds {
    uint64_t low, high;
    uint64_t slack; /* how far outside a pass may stray */
    uint64_t spill; /* how far outside still counts as within */
};

/* Refines level->side in passes: always the best move that leaves side 0
 * within low - slack .. high + slack, each vertex once a pass; then back to the
 * best that was seen. How far side 0 is outside of low - spill .. high + spill
 * comes first, then the cost. Returns by how much the cost fell, which is
 * negative only where bounds had to be met. Room was reserved. */
int64_t gains_refine(struct bisect_gains *gains,
                     struct bisect_level *level,
                     const struct gains_bounds *bounds);

#endif
