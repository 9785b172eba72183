/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared.h - what all counters share: one lock, and whether memory ran out */
#ifndef COMMPROF_SHARED_H
#define COMMPROF_SHARED_H

#include <pthread.h>
#include <stdbool.h>

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

#endif
