/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tally.h - edges and bytes counted by a 64-bit key */
#ifndef MAPCORE_GRID_TALLY_H
#define MAPCORE_GRID_TALLY_H

#include "base/table64.h"

struct tally_cell {
    uint64_t key, bytes;
    size_t edges;
};

/* Starts as all zero; ended by tally_clear. */
struct tally {
    size_t n, capacity;
    struct tally_cell *cell; /* [n], in the order in which the keys came */
    struct table64 table;    /* numbers of cells by key */
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
/* Sorts the cells, keys ascending; nothing can be added or found after that. */
void tally_sort(struct tally *tally);
void tally_clear(struct tally *tally);

#endif
