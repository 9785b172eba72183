/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared.c - the lock of all counters */
#include "config.h"

#include "commprof/count/shared.h"

bool shared_locking;
pthread_mutex_t shared_mutex = PTHREAD_MUTEX_INITIALIZER;
static bool lost;

void shared_lose(void)
{
    lost = true;
}

bool shared_is_lost(void)
{
    return lost;
}
