/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table64.h - numbers found by 64-bit keys; an index of items that stand
 * elsewhere, in an array of the caller's */
#ifndef MAPCORE_BASE_TABLE64_H
#define MAPCORE_BASE_TABLE64_H

#include "base/error.h"

#include <stdbool.h>

struct table64_slot {
    uint64_t key;
    uint32_t value;
    bool is_used;
};

/* Open addressing, at least half of the slots free. Starts as all zero; ended
 * by table64_clear. Where a key has its slot depends on the keys and on the
 * order in which they came alone, never on the machine. */
struct table64 {
    size_t capacity, n;        /* capacity: 0 or a power of two */
    struct table64_slot *slot; /* [capacity] */
};

/* Where to look for a key first: splitmix64's finalizer (Steele, Lea, Flood,
 * 2014). */
static inline size_t table64_hash(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(key ^ (key >> 31));
}

/* The value of a key, or MAPCORE_NONE. O(1) expected, as all of these. */
static inline uint32_t table64_find(const struct table64 *table, uint64_t key)
{
    size_t mask = table->capacity - 1, i = table64_hash(key) & mask;

    if (table->n == 0)
        return MAPCORE_NONE;
    for (; table->slot[i].is_used; i = (i + 1) & mask)
        if (table->slot[i].key == key)
            return table->slot[i].value;
    return MAPCORE_NONE;
}

/* The value of a key, which becomes `fresh` where the key is new. Errors:
 * ENOMEM. */
int table64_put(uint32_t *out,
                struct table64 *table,
                uint64_t key,
                uint32_t fresh,
                struct mapcore_error *err);

/* Where keys are hashes of what is really looked for: a key may be added
 * several times, and table64_next goes through the values of a key, in no
 * particular order:
 *
 *     for (size_t at = 0; (i = table64_next(table, key, &at)) != MAPCORE_NONE;)
 *         if (item i is the one) ...
 *
 * Errors of table64_add: ENOMEM. */
uint32_t table64_next(const struct table64 *table, uint64_t key, size_t *at);
int table64_add(struct table64 *table,
                uint64_t key,
                uint32_t value,
                struct mapcore_error *err);

/* Makes the next table64_add or table64_put of up to n keys in all succeed.
 * Errors: ENOMEM. */
int table64_reserve(struct table64 *table, size_t n, struct mapcore_error *err);

void table64_clear(struct table64 *table);

#endif
