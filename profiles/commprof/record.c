/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record.c - totals per type and one row per (type, peer) in a hash table */
#include "config.h"

#include "commprof/record.h"

#include "base/error.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

__thread int record_depth;
bool record_active;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool locking;
static uint32_t own_rank;
static struct totals totals[NTYPES];

/* Open addressing; a slot with peer MAPCORE_NONE is free. */
static struct {
    struct row *slot;
    size_t capacity, used; /* capacity: 0 or a power of two */
    bool lost;             /* memory ran out: rows are missing */
} table;

enum { FIRST_CAPACITY = 64 };

void record_lock(void)
{
    if (locking)
        pthread_mutex_lock(&lock);
}

void record_unlock(void)
{
    if (locking)
        pthread_mutex_unlock(&lock);
}

uint64_t record_sum(uint64_t a, uint64_t b)
{
    uint64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

uint64_t record_product(uint64_t a, uint64_t b)
{
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t record_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* The slot of a row, or the free one where it belongs. The multiplier is
 * Knuth's, 2^64 / golden ratio. */
static struct row *find(struct row *slots,
                        size_t capacity,
                        uint32_t type,
                        uint32_t peer)
{
    const uint64_t key = (uint64_t)type << 32 | peer;
    size_t i = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32);
    for (;; i++) {
        struct row *row = &slots[i & (capacity - 1)];
        if (row->peer == MAPCORE_NONE ||
            (row->peer == peer && row->type == type))
            return row;
    }
}

/* Doubles the table; at most half of it is ever used. */
static bool grow(void)
{
    const size_t capacity =
        table.capacity ? 2 * table.capacity : FIRST_CAPACITY;
    struct row *slots = calloc(capacity, sizeof *slots);
    if (!slots)
        return false;
    for (size_t i = 0; i < capacity; i++)
        slots[i].peer = MAPCORE_NONE;
    for (size_t i = 0; i < table.capacity; i++)
        if (table.slot[i].peer != MAPCORE_NONE)
            *find(slots, capacity, table.slot[i].type, table.slot[i].peer) =
                table.slot[i];
    free(table.slot);
    table.slot = slots;
    table.capacity = capacity;
    return true;
}

static bool add_row(enum call_type type, uint32_t peer, uint64_t bytes)
{
    if (2 * (table.used + 1) > table.capacity && !grow())
        return false;
    struct row *row = find(table.slot, table.capacity, type, peer);
    if (row->peer == MAPCORE_NONE) {
        *row = (struct row){.type = type, .peer = peer};
        table.used++;
    }
    row->bytes = record_sum(row->bytes, bytes);
    return true;
}

void record_begin(uint32_t rank, bool threads)
{
    own_rank = rank;
    locking = threads;
    record_active = true;
}

void record_time(enum call_type type, uint64_t ns)
{
    record_lock();
    totals[type].ns += ns;
    record_unlock();
}

void record_calls(enum call_type type, uint64_t n)
{
    record_lock();
    totals[type].calls += n;
    record_unlock();
}

void record_bytes(enum call_type type, uint32_t peer, uint64_t bytes)
{
    if (bytes == 0)
        return;
    record_lock();
    totals[type].bytes = record_sum(totals[type].bytes, bytes);
    if (peer != own_rank && peer != MAPCORE_NONE) {
        if (add_row(type, peer, bytes))
            totals[type].paired = record_sum(totals[type].paired, bytes);
        else
            table.lost = true;
    }
    record_unlock();
}

void record_large(enum call_type type, uint64_t bytes)
{
    record_lock();
    totals[type].bytes = record_sum(totals[type].bytes, bytes);
    totals[type].large = record_sum(totals[type].large, bytes);
    record_unlock();
}

void record_lost(void)
{
    record_lock();
    table.lost = true;
    record_unlock();
}

bool record_end(struct totals *out, struct row **rows, size_t *nrows)
{
    size_t n = 0;

    record_lock();
    record_active = false;
    memcpy(out, totals, sizeof totals);
    for (size_t i = 0; i < table.capacity; i++)
        if (table.slot[i].peer != MAPCORE_NONE)
            table.slot[n++] = table.slot[i];
    *rows = table.slot;
    *nrows = n;
    table.slot = NULL;
    table.capacity = table.used = 0;
    record_unlock();
    return !table.lost;
}
