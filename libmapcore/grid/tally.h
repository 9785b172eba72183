/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tally.h - edges and bytes counted by a 64-bit key */
#ifndef MAPCORE_GRAPH_TALLY_H
#define MAPCORE_GRAPH_TALLY_H

#include "base/error.h"

/* One key; edges is 0 in a free cell. */
struct tally_cell {
    uint64_t key, bytes;
    size_t edges;
};

/* Open addressing. Starts as all zero; ended by tally_clear. */
struct tally {
    struct tally_cell *cell; /* [capacity], a power of two */
    size_t capacity, n;
};

/* Adds one edge. O(1) expected. Errors: ENOMEM. */
int tally_add(struct tally *tally,
              uint64_t key,
              uint64_t bytes,
              struct mapcore_error *err);
/* Adds several edges at once. */
int tally_add_many(struct tally *tally,
                   uint64_t key,
                   size_t edges,
                   uint64_t bytes,
                   struct mapcore_error *err);
/* The cell of a key, or NULL. */
const struct tally_cell *tally_find(const struct tally *tally, uint64_t key);
/* Moves the n cells to the front, keys ascending; nothing can be added or
 * found after that. */
void tally_sort(struct tally *tally);
void tally_clear(struct tally *tally);

#endif
