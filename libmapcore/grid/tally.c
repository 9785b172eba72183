/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tally.c - a hash table of counts, with its keys sorted at the end so that no
 * result depends on where a key was kept */
#include "config.h"

#include "grid/tally.h"

#include "base/array.h"

#include <stdlib.h>

#define FIRST_CAPACITY 256

/* splitmix64's finalizer (Steele, Lea, Flood, 2014). */
static size_t hash(uint64_t key)
{
    key = (key ^ (key >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    key = (key ^ (key >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (size_t)(key ^ (key >> 31));
}

static struct tally_cell *place(const struct tally *tally, uint64_t key)
{
    size_t i = hash(key) & (tally->capacity - 1);

    while (tally->cell[i].edges > 0 && tally->cell[i].key != key)
        i = (i + 1) & (tally->capacity - 1);
    return &tally->cell[i];
}

static int grow(struct tally *tally, struct mapcore_error *err)
{
    struct tally larger = {.capacity = tally->capacity ? 2 * tally->capacity
                                                       : FIRST_CAPACITY,
                           .n = tally->n};

    larger.cell = array_alloc(larger.capacity, sizeof(*larger.cell), err);
    if (!larger.cell)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < tally->capacity; i++)
        if (tally->cell[i].edges > 0)
            *place(&larger, tally->cell[i].key) = tally->cell[i];
    free(tally->cell);
    *tally = larger;
    return 0;
}

int tally_add_many(struct tally *tally,
                   uint64_t key,
                   size_t edges,
                   uint64_t bytes,
                   struct mapcore_error *err)
{
    struct tally_cell *cell;

    if (2 * (tally->n + 1) > tally->capacity && grow(tally, err) < 0)
        return MAPCORE_ENOMEM;
    cell = place(tally, key);
    if (cell->edges == 0) {
        cell->key = key;
        tally->n++;
    }
    cell->edges += edges;
    cell->bytes += bytes;
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
    const struct tally_cell *cell;

    if (tally->n == 0)
        return NULL;
    cell = place(tally, key);
    return cell->edges > 0 ? cell : NULL;
}

static int by_key(const void *a, const void *b)
{
    const struct tally_cell *x = a, *y = b;

    return x->key < y->key ? -1 : x->key > y->key;
}

void tally_sort(struct tally *tally)
{
    size_t n = 0;

    for (size_t i = 0; i < tally->capacity; i++)
        if (tally->cell[i].edges > 0)
            tally->cell[n++] = tally->cell[i];
    if (n > 1)
        qsort(tally->cell, n, sizeof(*tally->cell), by_key);
}

void tally_clear(struct tally *tally)
{
    free(tally->cell);
    *tally = (struct tally){0};
}
