/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pool.h - indexed work on several threads, settled in the order of its
 * indices */
#ifndef MAPCORE_POOL_POOL_H
#define MAPCORE_POOL_POOL_H

#include "base/error.h"

#include <stdbool.h>

/* What to run. The three functions get arg. */
struct pool_job {
    size_t n; /* indices 0 .. n-1 */
    /* Does one index, on any thread. False: it was not finished, and nothing
     * behind it shall be begun. */
    bool (*work)(void *arg, size_t index);
    /* Called for finished indices one at a time and in ascending order
     * without a gap, on any thread: what is behind the first unfinished index
     * is never settled. NULL: nothing to do. */
    void (*settle)(void *arg, size_t index);
    /* Asked before an index is handed out; true: begin no more. NULL:
     * never. */
    bool (*stop)(void *arg);
    void *arg;
};

/* Threads that wait for jobs. */
struct pool;

/* A pool of that many threads, the caller's own included, to be freed by
 * pool_destroy. They are made when a job first has something for them; those
 * that cannot be made are done without. NULL: the caller alone (0 or 1 thread,
 * or no memory for more), which pool_run and pool_destroy take, too. */
struct pool *pool_create(unsigned threads);
/* Waits for its threads to end. */
void pool_destroy(struct pool *pool);

/* Runs the job and returns how many indices were settled: all below that
 * number, none from there on. Indices are handed out in ascending order; no
 * other thread touches the job any more when it returns. A thread that comes
 * late, since the machine is busy, is not waited for. One job at a time, but
 * the work of a job of one index may run others. All signals are blocked in the
 * threads made here, and SIGTERM and SIGABRT in the caller while others are at
 * work, too, since METIS takes over their handlers for the whole process: a
 * SIGTERM that comes meanwhile ends the job at the next index and takes effect
 * on return. */
size_t pool_run(struct pool *pool, const struct pool_job *job);

#endif
