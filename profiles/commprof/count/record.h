/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record.h - what one task has counted so far */
#ifndef COMMPROF_RECORD_H
#define COMMPROF_RECORD_H

#include "commprof/count/keep.h"
#include "commprof/count/messages.h"
#include "commprof/count/shared.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of one type and size class between this task and one other in a phase.
 * The key is peer << 32 | phase << 24 | type << 16 | direction << 8 | size
 * class + 1: never 0. The highest byte of count is first_use.h's. */
struct row {
    uint64_t key;
    uint64_t count, bytes;
};
enum { ROW_ORDER = 56 /* where that byte begins */ };
#define ROW_COUNT ((UINT64_C(1) << ROW_ORDER) - 1)

/* What a row of the task of that rank says. */
static inline void row_read(struct message *message,
                            const struct row *row,
                            uint32_t rank)
{
    const uint32_t peer = (uint32_t)(row->key >> 32);
    const bool incoming = row->key >> 8 & 1;

    *message = (struct message){
        .from = incoming ? peer : rank,
        .to = incoming ? rank : peer,
        .type = row->key >> 16 & 0xFF,
        .size_class = (uint16_t)((row->key & 0xFF) - 1),
        .phase = row->key >> 24 & 0xFF,
        .order = (uint16_t)(row->count >> ROW_ORDER),
        .count = row->count & ROW_COUNT,
        .bytes = row->bytes,
    };
}

/* A thread that is inside a watched call does not count the calls that this
 * one makes. */
extern __thread int record_depth __attribute__((tls_model("initial-exec")));
/* From MPI_Init until the report. */
extern bool record_alive;
/* What a call is watched for: one test for all that is not. */
enum record_watched {
    WATCH_NOTHING, /* not begun, or the program or the clock has stopped it */
    WATCH_ALL,     /* what it sends, and its time */
    WATCH_TIME,    /* its time alone */
};
extern enum record_watched record_watch;
static inline bool record_is_active(void)
{
    return record_watch == WATCH_ALL;
}
/* Nothing is counted any more, but what is kept for persistent requests may be
 * asked for again. False after the deadline. */
extern bool record_prepares;
/* When it stops: record_clock_ns() >= record_deadline. */
extern uint64_t record_deadline;

/* Starts counting for a task of this rank, in keep.h's memory; threads: several
 * may call at once; paused: only record_pause(false) begins; limit_ns: how long
 * at most, 0 for ever. False: there is no memory. */
bool record_begin(uint32_t rank, bool threads, bool paused, uint64_t limit_ns);
/* The time of all calls alone is counted, in keep.h's memory, for ever: of a
 * program that is not recorded. False: there is no memory. */
bool record_begin_time(uint32_t rank, uint32_t ntasks, bool threads);
/* Stops or goes on; after the deadline it stays stopped. */
void record_pause(bool pause);
/* What is counted from now on is of that phase, below PHASES_MOST. */
void record_enter(uint32_t phase);
/* The deadline is over. */
void record_expire(void);
/* How long calls have been counted by now. */
uint64_t record_active_ns(void);

/* That of a type over communicators of this size, made at its first call;
 * never freed before record_clear. NULL when there is no memory. */
struct call_stats *record_stats_sized(enum call_type type, uint32_t size);

/* A message between this task and a world rank: to the counters, and to the
 * peer's row. With itself, or a peer outside of MPI_COMM_WORLD (MAPCORE_NONE):
 * to the counters only. */
void record_message(struct call_stats *stats,
                    uint32_t peer,
                    uint64_t bytes,
                    enum direction direction);
/* The same while record_is_plain(), for speed. Returns stats. */
struct call_stats *record_plain_message(struct call_stats *stats,
                                        uint32_t peer,
                                        uint64_t bytes,
                                        enum direction direction);
/* Bytes that a collective over too many tasks sent. */
void record_large(struct call_stats *stats, uint64_t bytes);
/* Counts what was captured; nothing when NULL. */
void record_replay(const struct capture *capture);
/* A call of a collective, of these bytes, for its expansion later. */
void record_collective(struct collective *collective, uint64_t bytes);

/* Stops for good. */
void record_end(void);
/* Hands over copies of what was counted, after record_end: stats (sorted,
 * owned) and messages (sorted, owned). Errors: ENOMEM. */
int record_read(struct call_stats **stats,
                size_t *nstats,
                struct messages *messages);
void record_clear(void);

/* CLOCK_MONOTONIC. */
uint64_t record_clock_ns(void);

/* What every watched call does stands here, for speed. */

extern struct call_stats *record_unsized; /* by type, TYPE_NONE too */
extern uint32_t record_phase;
struct call_stats *record_move(const struct call_stats *stats);

/* No other thread counts at the same time, and nothing is kept for later. */
static inline bool record_is_plain(void)
{
    return __builtin_expect(!shared_locking && !capture_now, 1);
}

/* The counters of a type that belong to no communicator. */
static inline struct call_stats *record_stats(enum call_type type)
{
    return &record_unsized[type];
}

/* The same counters in the phase that is now. */
static inline struct call_stats *record_now(struct call_stats *stats)
{
    return __builtin_expect(stats->phase == record_phase, 1)
               ? stats
               : record_move(stats);
}

/* Adds ns of time in a call. */
static inline void record_time(struct call_stats *stats, uint64_t ns)
{
    shared_lock();
    stats->ns += ns;
    shared_unlock();
}

/* Of WATCH_TIME: a call has ended. */
extern uint64_t *record_time_ns;
static inline void record_timed(uint64_t began, uint64_t ended)
{
    if (__builtin_expect(shared_locking, 0))
        __atomic_fetch_add(record_time_ns, ended - began, __ATOMIC_RELAXED);
    else
        *record_time_ns += ended - began;
    keep_head->last_ns = ended;
}

static inline void record_calls(struct call_stats *stats, uint64_t n)
{
    if (__builtin_expect(capture_now != NULL, 0)) {
        capture_keep((struct captured){CAPTURED_CALLS, 0, OUTGOING, n, stats});
        return;
    }
    shared_lock();
    stats->calls += n;
    shared_unlock();
}

#endif
