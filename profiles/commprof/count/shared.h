/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared.h - what all counters share: one lock, whether memory ran out, and the
 * list into which a thread's counts go for later */
#ifndef COMMPROF_SHARED_H
#define COMMPROF_SHARED_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether several threads may call. */
extern bool shared_locking;
extern pthread_mutex_t shared_mutex;

/* Locks when several threads may call. Never held while MPI is called. */
static inline void shared_lock(void)
{
    if (__builtin_expect(shared_locking, 0))
        pthread_mutex_lock(&shared_mutex);
}

static inline void shared_unlock(void)
{
    if (__builtin_expect(shared_locking, 0))
        pthread_mutex_unlock(&shared_mutex);
}

/* Something could not be counted for want of memory: no profile then. */
void shared_lose(void);
bool shared_is_lost(void);

enum direction { OUTGOING, INCOMING };
enum captured_what {
    CAPTURED_CALLS,      /* of a struct call_stats: how many */
    CAPTURED_LARGE,      /* of the same: bytes of record_large() */
    CAPTURED_COLLECTIVE, /* of a struct collective: bytes */
    CAPTURED_MESSAGE,
};

struct captured {
    enum captured_what what;
    uint32_t peer;
    enum direction direction;
    uint64_t amount;
    void *target; /* by what */
};
struct capture {
    bool lost;
    size_t n, capacity;
    struct captured *item;
};

/* What one call would count, to be counted again at each start of the request
 * that it made: between these two, what this thread tells record.h to count is
 * not counted but kept. Owned; NULL when there is no memory, and then
 * shared_is_lost(); record_replay counts it. */
void capture_begin(void);
struct capture *capture_end(void);
void capture_drop(struct capture *capture);

/* Of record.h: what is kept now, NULL: nothing, all is counted at once. */
extern __thread struct capture *capture_now
    __attribute__((tls_model("initial-exec")));
void capture_keep(struct captured item);

#endif
