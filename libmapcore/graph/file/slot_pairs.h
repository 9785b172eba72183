/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slot_pairs.h - whether lines of two numbers are edges, or the nodes and slots
 * of a mapping */
#ifndef MAPCORE_GRAPH_SLOT_PAIRS_H
#define MAPCORE_GRAPH_SLOT_PAIRS_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zero at first. */
struct slot_pairs {
    uint64_t *pair; /* [n], node << 32 | slot */
    size_t n, capacity;
    bool is_no_mapping;
};
void slot_pairs_clear(struct slot_pairs *pairs);

/* Nothing more has to be kept: a line is there that no mapping has. */
void slot_pairs_give_up(struct slot_pairs *pairs);

/* The two numbers of a line. Errors: ENOMEM. */
int slot_pairs_add(struct slot_pairs *pairs,
                   uint32_t node,
                   uint32_t slot,
                   struct mapcore_error *err);

/* Whether they can only be a mapping: each node has the slots 0 to k - 1, each
 * once, and some pair is twice the same number. As a graph that would be tasks
 * that all talk alike with the first ones and with themselves: every task with
 * every other, or all of them with task 0. Sorts the pairs. O(n log n). */
bool slot_pairs_are_mapping(struct slot_pairs *pairs);

/* Whether each node has the slots 0 to k - 1, each once, which a graph may have
 * as well. Sorts the pairs. O(n log n). */
bool slot_pairs_are_slots(struct slot_pairs *pairs);

#endif
