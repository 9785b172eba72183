/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Linked into programs that run under MPICH: a rank that waits gives its core
 * away. MPICH over UCX polls and never yields, so that of sixteen ranks on two
 * cores fourteen wait for those which poll for them: an Allreduce of 8 bytes
 * takes 6 to 8 times as long without this. The program's definition comes
 * before the library's; where the MPI calls no such function it is never
 * called. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <sched.h>
#include <time.h>

enum { PATIENCE = 10, NAP_NS = 100000 };

typedef unsigned progress_fn(void *worker);

unsigned ucp_worker_progress(void *worker);

unsigned ucp_worker_progress(void *worker)
{
    static progress_fn *library; /* the same value in all threads */
    static _Thread_local unsigned
        idle; /* calls in a row in which nothing came */
    progress_fn *progress = library;
    unsigned events;

    if (!progress) {
        progress = (progress_fn *)dlsym(RTLD_NEXT, "ucp_worker_progress");
        library = progress;
    }
    events = progress(worker);
    if (events > 0)
        idle = 0;
    else if (++idle < PATIENCE)
        sched_yield();
    else
        nanosleep(&(struct timespec){.tv_nsec = NAP_NS}, NULL);
    return events;
}
