/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tally.c - edges and bytes counted by a 64-bit key, and sorted by it at the
 * end */
#include "config.h"

#include "grid/tally.h"

#include "base/array.h"

#include <stdlib.h>

/* A cell for a new key. */
static int add_cell(struct tally *tally,
                    uint64_t key,
                    struct mapcore_error *err)
{
    if (tally->n >= MAPCORE_NONE)
        return error_set(err, MAPCORE_ENOMEM, "out of memory (2^32 counts)");
    if (array_reserve(&tally->cell, &tally->capacity, tally->n + 1,
                      sizeof(*tally->cell), err) < 0 ||
        table64_add(&tally->table, key, (uint32_t)tally->n, err) < 0)
        return MAPCORE_ENOMEM;
    tally->cell[tally->n++] = (struct tally_cell){.key = key};
    return 0;
}

int tally_add_many(struct tally *tally,
                   uint64_t key,
                   size_t edges,
                   uint64_t bytes,
                   struct mapcore_error *err)
{
    uint32_t i = table64_find(&tally->table, key);

    if (i == MAPCORE_NONE) {
        i = (uint32_t)tally->n;
        if (add_cell(tally, key, err) < 0)
            return MAPCORE_ENOMEM;
    }
    tally->cell[i].edges += edges;
    tally->cell[i].bytes += bytes;
    return 0;
}

int tally_add(struct tally *tally,
              uint64_t key,
              uint64_t bytes,
              struct mapcore_error *err)
{
    return tally_add_many(tally, key, 1, bytes, err);
}

const struct tally_cell *tally_find(const struct tally *tally, uint64_t key)
{
    uint32_t i = table64_find(&tally->table, key);

    return i == MAPCORE_NONE ? NULL : &tally->cell[i];
}

static int by_key(const void *a, const void *b)
{
    const struct tally_cell *x = a, *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

void tally_sort(struct tally *tally)
{
    if (tally->n > 1)
        qsort(tally->cell, tally->n, sizeof(*tally->cell), by_key);
    table64_clear(&tally->table);
}

void tally_clear(struct tally *tally)
{
    free(tally->cell);
    table64_clear(&tally->table);
    *tally = (struct tally){0};
}
