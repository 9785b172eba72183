/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slot_pairs.c - the pairs of a file that may be a mapping, until something in
 * it says otherwise */
#include "config.h"

#include "graph/file/slot_pairs.h"

#include "base/array.h"

#include <stdlib.h>

enum {
    PAIRS_MOST = 1 << 24, /* no mapping has more tasks */
};

void slot_pairs_clear(struct slot_pairs *pairs)
{
    free(pairs->pair);
    *pairs = (struct slot_pairs){0};
}

void slot_pairs_give_up(struct slot_pairs *pairs)
{
    slot_pairs_clear(pairs);
    pairs->is_no_mapping = true;
}

int slot_pairs_add(struct slot_pairs *pairs,
                   uint32_t node,
                   uint32_t slot,
                   struct mapcore_error *err)
{
    int error;

    if (pairs->n == PAIRS_MOST)
        slot_pairs_give_up(pairs);
    if (pairs->is_no_mapping)
        return 0;
    error = array_reserve(&pairs->pair, &pairs->capacity, pairs->n + 1,
                          sizeof(*pairs->pair), err);
    if (error == 0)
        pairs->pair[pairs->n++] = (uint64_t)node << 32 | slot;
    return error;
}

static int compare_pairs(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x > y) - (x < y);
}

bool slot_pairs_are_slots(struct slot_pairs *pairs)
{
    uint32_t expected = 0;

    if (pairs->is_no_mapping || pairs->n == 0)
        return false;
    qsort(pairs->pair, pairs->n, sizeof(*pairs->pair), compare_pairs);
    for (size_t i = 0; i < pairs->n; i++) {
        if (i == 0 || pairs->pair[i - 1] >> 32 != pairs->pair[i] >> 32)
            expected = 0;
        if ((uint32_t)pairs->pair[i] != expected++)
            return false;
    }
    return true;
}

bool slot_pairs_are_mapping(struct slot_pairs *pairs)
{
    if (!slot_pairs_are_slots(pairs))
        return false;
    for (size_t i = 0; i < pairs->n; i++)
        if (pairs->pair[i] >> 32 == (uint32_t)pairs->pair[i])
            return true;
    return false;
}
