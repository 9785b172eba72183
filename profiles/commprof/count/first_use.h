/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* first_use.h - in which order this task first sends to others: the stages of a
 * phase; knows nothing of MPI */
#ifndef COMMPROF_FIRST_USE_H
#define COMMPROF_FIRST_USE_H

#include "commprof/count/messages.h"

#include <stdbool.h>
#include <stddef.h>

/* What a task sends until it has waited for something is a group. A pair that
 * is used for the first time in its phase is of the stage that is the number of
 * groups before with such a pair, of the same type of call: what a program does
 * again in its next iteration adds nothing. A message to MPI_PROC_NULL is one
 * to a pair of its own until a message to another goes out again, or there were
 * eight of them, so that tasks at the border of a grid count as those in the
 * middle do.
 *
 * Kept are types whose messages have no better order than this one: not of
 * collectives of equal blocks, which the MPI library's algorithms tell. */

/* In rows and messages: 1 + the stage, at most FIRST_USE_MOST, where all that
 * comes later is; 0: not known. */
enum { FIRST_USE_UNKNOWN = 0, FIRST_USE_MOST = 255 };

/* What every send and wait looks at. */
extern struct first_use {
    uint32_t fresh; /* a bit for each type with new pairs in this group */
    bool large; /* the last of them got more than is sent without a receiver */
    /* While MPI_PROC_NULL counts: a pair below that stage is used again; 0: it
     * does not. */
    uint8_t again[NTYPES + 1];
} first_use;

/* Begins anew, in the first phase. threads: several may send; when they do,
 * forget_order is called once, with the lock: all known so far is void. */
void first_use_begin(bool threads, void (*forget_order)(void));
/* What is counted from now on is of that phase. */
void first_use_enter(uint32_t phase);
/* Of a new row of that type and phase, for a message of these bytes. known:
 * of another row of the same pair, or FIRST_USE_UNKNOWN: there is none. */
uint8_t first_use_add(uint32_t type,
                      uint32_t phase,
                      uint8_t known,
                      uint64_t bytes);
/* Whether first_use_add wants to know of other rows of the pair. */
bool first_use_asks(uint32_t type, uint32_t phase);
/* A pair is used again in a later group. */
void first_use_repeat(uint32_t type);
/* The group is over. */
void first_use_end_group(void);
/* A message of these bytes went to MPI_PROC_NULL. */
void first_use_nobody(uint32_t type, uint64_t bytes);

/* ---- what every call does stands here, for speed. The flags may be read by a
 * thread while another one sets them. */

/* Something that the task waited for is complete. */
static inline void first_use_waited(void)
{
    if (__builtin_expect(
            __atomic_load_n(&first_use.fresh, __ATOMIC_RELAXED) != 0, 0))
        first_use_end_group();
}

/* A blocking call that waits; the same of one that waits for its receiver when
 * the message is large. Both return what they are given. */
static inline struct call_stats *first_use_done(struct call_stats *stats)
{
    first_use_waited();
    return stats;
}

static inline struct call_stats *first_use_sent(struct call_stats *stats)
{
    if (__builtin_expect(__atomic_load_n(&first_use.large, __ATOMIC_RELAXED),
                         0))
        first_use_waited();
    return stats;
}

#endif
