/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record.c - counters per type and communicator size, and one row per (type,
 * peer, size class), found by a hash index */
#include "config.h"

#include "commprof/count/record.h"

#include "commprof/count/first_use.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

__thread int record_depth;
bool record_alive, record_prepares;
enum record_watched record_watch;
uint64_t record_deadline = UINT64_MAX;

static bool expired;
static uint64_t nobodys_ns;
uint64_t *record_time_ns = &nobodys_ns;
static uint32_t own_rank;

/* By type; the last is TYPE_NONE's, of which nothing is ever read. */
static struct call_stats nowhere[NTYPES + 1];
struct call_stats *record_unsized = nowhere;
/* The same by phase; NULL: was not entered. */
static struct call_stats *unsized_in[PHASES_MOST];
uint32_t record_phase;
struct sized {
    struct call_stats stats;
    struct sized *next;
};
_Static_assert(offsetof(struct sized, stats) == 0, "read by recorded_kept.c");
static struct sized *sized;

/* Rows stand in chunks that are never moved nor freed before the end, so that
 * keep.h's memory can hold them. 24 bytes a row; the index adds
 * 8 bytes a slot and is between 3/8 and 3/4 full: 46 bytes at most for each
 * distinct (type, peer, size class). */
enum { CHUNK_ROWS = 128, FIRST_SLOTS = 128 };
struct chunk {
    struct row row[CHUNK_ROWS];
    struct chunk *next;
};
static struct chunk *first_chunk, *last_chunk;
static struct {
    struct row **slot; /* slot[capacity], NULL: free */
    size_t capacity;   /* 0 or a power of two */
    size_t nrows;
} table;

/* Twice in every call, so by the shortest way: without the linker's stub, and
 * without a guard for what only the kernel's clock writes to. */
#if defined __has_attribute
#if __has_attribute(noplt) && __has_attribute(no_stack_protector)
extern __attribute__((noplt)) int clock_gettime(clockid_t clock,
                                                struct timespec *now);
#define UNGUARDED __attribute__((no_stack_protector))
#endif
#endif
#ifndef UNGUARDED
#define UNGUARDED
#endif
UNGUARDED uint64_t record_clock_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* ---- when */

static struct call_stats *make_unsized(uint32_t phase)
{
    struct call_stats *stats =
        keep_alloc(KEPT_STATS, (NTYPES + 1) * sizeof(*stats));

    for (uint8_t type = 0; stats && type <= NTYPES; type++) {
        stats[type].type = type;
        stats[type].phase = (uint8_t)phase;
    }
    return stats;
}

/* With the lock: no row says any more when its pair was first used. */
static void forget_order(void)
{
    for (struct chunk *chunk = first_chunk; chunk; chunk = chunk->next)
        for (size_t i = 0; i < CHUNK_ROWS; i++)
            chunk->row[i].count &= ROW_COUNT;
}

bool record_begin(uint32_t rank, bool threads, bool paused, uint64_t limit_ns)
{
    const uint64_t now = record_clock_ns();
    struct call_stats *stats = make_unsized(0);

    if (!stats)
        return false;
    memset(unsized_in, 0, sizeof(unsized_in));
    record_unsized = unsized_in[0] = stats;
    record_phase = 0;
    own_rank = rank;
    shared_locking = threads;
    first_use_begin(threads, forget_order);
    if (limit_ns > 0)
        record_deadline = record_sum(now, limit_ns);
    keep_head->began_ns = keep_head->last_ns = keep_head->since_ns = now;
    record_alive = record_prepares = true;
    record_watch = paused ? WATCH_NOTHING : WATCH_ALL;
    keep_head->is_active = !paused;
    return true;
}

bool record_begin_time(uint32_t rank, uint32_t ntasks, bool threads)
{
    struct call_stats *stats = keep_alloc(KEPT_STATS, sizeof(*stats));

    if (!stats)
        return false;
    record_time_ns = &stats->ns;
    shared_locking = threads;
    keep_head->rank = rank;
    keep_head->ntasks = ntasks;
    keep_head->began = (int64_t)time(NULL);
    keep_head->began_ns = keep_head->last_ns = record_clock_ns();
    keep_ready();
    record_watch = WATCH_TIME;
    return true;
}

void record_pause(bool pause)
{
    const uint64_t now = record_clock_ns();

    /* What the program waits for meanwhile is not seen. */
    first_use_waited();
    shared_lock();
    if (pause && record_is_active())
        keep_head->counted_ns += now - keep_head->since_ns;
    if (!pause && !record_is_active())
        keep_head->since_ns = now;
    record_watch =
        record_alive && !pause && !expired ? WATCH_ALL : WATCH_NOTHING;
    keep_head->is_active = record_is_active();
    shared_unlock();
}

void record_enter(uint32_t phase)
{
    shared_lock();
    if (!unsized_in[phase]) {
        struct call_stats *made = make_unsized(phase);
        __atomic_store_n(&unsized_in[phase], made, __ATOMIC_RELEASE);
    }
    if (unsized_in[phase]) {
        record_unsized = unsized_in[phase];
        record_phase = phase;
        first_use_enter(phase);
    } else {
        shared_lose();
    }
    shared_unlock();
}

void record_expire(void)
{
    record_pause(true);
    expired = true;
    record_prepares = false;
}

uint64_t record_active_ns(void)
{
    return keep_head->counted_ns +
           (record_is_active() ? record_clock_ns() - keep_head->since_ns : 0);
}

void record_end(void)
{
    record_pause(true);
    record_alive = record_prepares = false;
}

/* ---- counters of types */

struct call_stats *record_stats_sized(enum call_type type, uint32_t size)
{
    struct sized *found;

    shared_lock();
    for (found = sized; found; found = found->next)
        if (found->stats.type == type && found->stats.size == size &&
            found->stats.phase == record_phase)
            break;
    if (!found && (found = keep_alloc(KEPT_SIZED, sizeof(*found)))) {
        found->stats.type = (uint8_t)type;
        found->stats.size = size;
        found->stats.phase = (uint8_t)record_phase;
        found->next = sized;
        __atomic_store_n(&sized, found, __ATOMIC_RELEASE);
    }
    shared_unlock();
    return found ? &found->stats : NULL;
}

struct call_stats *record_move(const struct call_stats *stats)
{
    struct call_stats *moved =
        stats->size > 0 ? record_stats_sized(stats->type, stats->size) : NULL;

    return moved ? moved : record_stats(stats->type);
}

void record_large(struct call_stats *stats, uint64_t bytes)
{
    if (capture_now) {
        capture_keep(
            (struct captured){CAPTURED_LARGE, 0, OUTGOING, bytes, stats});
        return;
    }
    shared_lock();
    stats->bytes = record_sum(stats->bytes, bytes);
    stats->large = record_sum(stats->large, bytes);
    shared_unlock();
}

void record_collective(struct collective *collective, uint64_t bytes)
{
    if (capture_now) {
        capture_keep((struct captured){CAPTURED_COLLECTIVE, 0, OUTGOING, bytes,
                                       collective});
        return;
    }
    shared_lock();
    collective->calls++;
    collective->bytes = record_sum(collective->bytes, bytes);
    shared_unlock();
}

/* ---- rows */

static uint64_t row_key(const struct call_stats *stats,
                        uint32_t peer,
                        enum direction direction,
                        uint64_t bytes)
{
    const uint64_t size_class =
        bytes ? 64 - (uint64_t)__builtin_clzll(bytes) : 0;
    return (uint64_t)peer << 32 | (uint64_t)stats->phase << 24 |
           (uint64_t)stats->type << 16 | (uint64_t)direction << 8 |
           (size_class + 1);
}

/* The slot of a key, or the free one where it belongs. The multiplier is
 * Knuth's, 2^64 / golden ratio. */
static struct row **find(uint64_t key)
{
    const size_t mask = table.capacity - 1;
    size_t i = (size_t)((key * 0x9E3779B97F4A7C15u) >> 32);
    for (;; i++) {
        struct row **slot = &table.slot[i & mask];
        if (!*slot || (*slot)->key == key)
            return slot;
    }
}

/* Makes the index anew, twice as large; the old one goes first, for memory. */
static bool grow(void)
{
    const size_t capacity = table.capacity ? 2 * table.capacity : FIRST_SLOTS;

    free(table.slot);
    table.slot = calloc(capacity, sizeof(struct row *));
    table.capacity = table.slot ? capacity : 0;
    if (!table.slot)
        return false;
    size_t left = table.nrows;
    for (struct chunk *chunk = first_chunk; left > 0; chunk = chunk->next)
        for (size_t i = 0; i < CHUNK_ROWS && left > 0; i++, left--)
            *find(chunk->row[i].key) = &chunk->row[i];
    return true;
}

/* What another row of the same pair says, of another size class. */
static uint8_t find_order(uint64_t key)
{
    const uint64_t pair = key & ~UINT64_C(0xFF);

    for (uint64_t size_class = 0; size_class <= 64 && table.capacity;
         size_class++) {
        const struct row *row = *find(pair | (size_class + 1));
        if (row)
            return (uint8_t)(row->count >> ROW_ORDER);
    }
    return FIRST_USE_UNKNOWN;
}

static struct row *add_row(uint64_t key, uint8_t order)
{
    const size_t at = table.nrows % CHUNK_ROWS;

    if (shared_is_lost() ||
        (4 * (table.nrows + 1) > 3 * table.capacity && !grow()))
        return NULL;
    if (at == 0) {
        struct chunk *chunk = keep_alloc(KEPT_ROWS, sizeof(*chunk));
        if (!chunk)
            return NULL;
        *(last_chunk ? &last_chunk->next : &first_chunk) = chunk;
        last_chunk = chunk;
    }
    struct row *row = &last_chunk->row[at];
    row->count = (uint64_t)order << ROW_ORDER;
    __atomic_store_n(&row->key, key, __ATOMIC_RELEASE);
    table.nrows++;
    *find(key) = row;
    return row;
}

static struct call_stats *add_to_row(struct call_stats *stats,
                                     struct row *row,
                                     uint64_t bytes)
{
    row->count++;
    row->bytes = record_sum(row->bytes, bytes);
    stats->paired = record_sum(stats->paired, bytes);
    return stats;
}

/* What happens seldom stands apart, so that the rest needs no frame. */
#define COLD __attribute__((noinline, cold))
COLD static struct call_stats *add_first(struct call_stats *stats,
                                         uint64_t key,
                                         uint64_t bytes)
{
    const uint8_t known = first_use_asks(stats->type, stats->phase)
                              ? find_order(key)
                              : FIRST_USE_UNKNOWN;
    struct row *row =
        add_row(key, first_use_add(stats->type, stats->phase, known, bytes));

    if (row)
        return add_to_row(stats, row, bytes);
    shared_lose();
    return stats;
}

COLD static struct call_stats *add_again(struct call_stats *stats,
                                         struct row *row,
                                         uint64_t bytes)
{
    first_use_repeat(stats->type);
    return add_to_row(stats, row, bytes);
}

struct call_stats *record_plain_message(struct call_stats *stats,
                                        uint32_t peer,
                                        uint64_t bytes,
                                        enum direction direction)
{
    stats->bytes = record_sum(stats->bytes, bytes);
    if (peer == own_rank || peer == MAPCORE_NONE)
        return stats;
    const uint64_t key = row_key(stats, peer, direction, bytes);
    struct row *row = table.capacity ? *find(key) : NULL;
    if (!row)
        return add_first(stats, key, bytes);
    if (__builtin_expect(row->count >> ROW_ORDER < first_use.again[stats->type],
                         0))
        return add_again(stats, row, bytes);
    return add_to_row(stats, row, bytes);
}

void record_message(struct call_stats *stats,
                    uint32_t peer,
                    uint64_t bytes,
                    enum direction direction)
{
    if (capture_now) {
        capture_keep(
            (struct captured){CAPTURED_MESSAGE, peer, direction, bytes, stats});
        return;
    }
    shared_lock();
    record_plain_message(stats, peer, bytes, direction);
    shared_unlock();
}

static void replay(const struct captured *item)
{
    switch (item->what) {
    case CAPTURED_CALLS:
        record_calls(record_now(item->target), item->amount);
        break;
    case CAPTURED_LARGE:
        record_large(record_now(item->target), item->amount);
        break;
    case CAPTURED_COLLECTIVE:
        record_collective(item->target, item->amount);
        break;
    case CAPTURED_MESSAGE:
        record_message(record_now(item->target), item->peer, item->amount,
                       item->direction);
        break;
    }
}

void record_replay(const struct capture *capture)
{
    for (size_t i = 0; capture && i < capture->n; i++)
        replay(&capture->item[i]);
}

/* ---- the end */

static int add_stats(struct call_stats **all,
                     size_t *n,
                     size_t *capacity,
                     const struct call_stats *one)
{
    if (array_reserve(all, capacity, *n + 1, sizeof(*one), NULL) < 0)
        return MAPCORE_ENOMEM;
    (*all)[(*n)++] = *one;
    return 0;
}

static int read_stats(struct call_stats **out, size_t *n)
{
    size_t capacity = 0;
    int error = 0;

    for (size_t phase = 0; phase < PHASES_MOST; phase++)
        for (size_t type = 0; error == 0 && unsized_in[phase] && type < NTYPES;
             type++)
            if (unsized_in[phase][type].calls || unsized_in[phase][type].ns)
                error = add_stats(out, n, &capacity, &unsized_in[phase][type]);
    for (const struct sized *s = sized; error == 0 && s; s = s->next)
        error = add_stats(out, n, &capacity, &s->stats);
    if (*n > 0)
        qsort(*out, *n, sizeof(**out), call_stats_compare);
    return error;
}

static int read_messages(struct messages *out)
{
    out->message = array_alloc(table.nrows, sizeof(*out->message), NULL);
    if (!out->message)
        return MAPCORE_ENOMEM;
    for (const struct chunk *chunk = first_chunk; chunk; chunk = chunk->next)
        for (size_t i = 0; i < CHUNK_ROWS && out->n < table.nrows; i++)
            row_read(&out->message[out->n++], &chunk->row[i], own_rank);
    messages_sort(out);
    return 0;
}

int record_read(struct call_stats **stats,
                size_t *nstats,
                struct messages *messages)
{
    int error;

    *stats = NULL;
    *nstats = 0;
    /* The index makes room: no more is to come. */
    shared_lock();
    free(table.slot);
    table.slot = NULL;
    table.capacity = 0;
    if ((error = read_stats(stats, nstats)) == 0)
        error = read_messages(messages);
    shared_unlock();
    if (error == 0)
        return 0;
    free(*stats);
    *stats = NULL;
    *nstats = 0;
    return error;
}

void record_clear(void)
{
    free(table.slot);
    table.slot = NULL;
    table.capacity = table.nrows = 0;
    first_chunk = last_chunk = NULL;
    sized = NULL;
    record_unsized = nowhere;
    record_phase = 0;
    memset(unsized_in, 0, sizeof(unsized_in));
}
