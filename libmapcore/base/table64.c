/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table64.c - numbers found by 64-bit keys: a hash table of open addressing */
#include "config.h"

#include "base/table64.h"

#include "base/array.h"

#include <stdlib.h>

#define FIRST_CAPACITY 256

/* The free slot where one more of a key goes. */
static struct table64_slot *find_free(const struct table64 *table, uint64_t key)
{
    size_t mask = table->capacity - 1, i = table64_hash(key) & mask;

    while (table->slot[i].is_used)
        i = (i + 1) & mask;
    return &table->slot[i];
}

uint32_t table64_next(const struct table64 *table, uint64_t key, size_t *at)
{
    size_t mask = table->capacity - 1, start;

    if (table->n == 0)
        return MAPCORE_NONE;
    start = table64_hash(key);
    for (;;) {
        const struct table64_slot *slot = &table->slot[(start + *at) & mask];

        if (!slot->is_used)
            return MAPCORE_NONE;
        ++*at;
        if (slot->key == key)
            return slot->value;
    }
}

int table64_reserve(struct table64 *table, size_t n, struct mapcore_error *err)
{
    size_t capacity = table->capacity > 0 ? table->capacity : FIRST_CAPACITY;
    struct table64 larger = {.n = table->n};

    /* Where this stops early, the rest is more than array_alloc gives. */
    while (capacity / 2 < n && capacity <= SIZE_MAX / 2)
        capacity *= 2;
    if (capacity == table->capacity)
        return 0;
    larger.capacity = capacity;
    larger.slot = array_alloc(capacity, sizeof(*larger.slot), err);
    if (!larger.slot)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->slot[i].is_used)
            *find_free(&larger, table->slot[i].key) = table->slot[i];
    free(table->slot);
    *table = larger;
    return 0;
}

int table64_add(struct table64 *table,
                uint64_t key,
                uint32_t value,
                struct mapcore_error *err)
{
    if (table64_reserve(table, table->n + 1, err) < 0)
        return MAPCORE_ENOMEM;
    *find_free(table, key) = (struct table64_slot){key, value, true};
    table->n++;
    return 0;
}

int table64_put(uint32_t *out,
                struct table64 *table,
                uint64_t key,
                uint32_t fresh,
                struct mapcore_error *err)
{
    *out = table64_find(table, key);
    if (*out != MAPCORE_NONE)
        return 0;
    *out = fresh;
    return table64_add(table, key, fresh, err);
}

void table64_clear(struct table64 *table)
{
    free(table->slot);
    *table = (struct table64){0};
}
