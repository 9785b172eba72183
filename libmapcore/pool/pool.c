/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pool.c - indexed work on several threads; the only file that makes
 * threads */
#include "config.h"

#include "pool/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

struct pool {
    const struct pool_job *job;
    pthread_mutex_t lock;
    size_t next;    /* first index that was not handed out */
    size_t settled; /* all below are settled */
    bool *finished; /* [n], read and written under the lock */
    bool stopped;
    bool settling; /* some thread is calling settle, without the lock */
};

/* A SIGTERM that waits for the caller to unblock it. */
static bool term_is_pending(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1;
}

/* Hands out the next index; false when there is none. */
static bool take(struct pool *pool, size_t *index)
{
    const struct pool_job *job = pool->job;
    bool stop = job->stop && job->stop(job->arg);
    bool taken = false;

    pthread_mutex_lock(&pool->lock);
    if (stop)
        pool->stopped = true;
    if (!pool->stopped && pool->next < job->n) {
        *index = pool->next++;
        taken = true;
    }
    pthread_mutex_unlock(&pool->lock);
    return taken;
}

/* Notes an index as finished and settles what has no gap before it. One
 * thread settles at a time; the others leave it their results and go on. */
static void give(struct pool *pool, size_t index, bool finished)
{
    const struct pool_job *job = pool->job;

    pthread_mutex_lock(&pool->lock);
    if (finished)
        pool->finished[index] = true;
    else
        pool->stopped = true;
    if (!pool->settling) {
        pool->settling = true;
        while (pool->settled < job->n && pool->finished[pool->settled]) {
            pthread_mutex_unlock(&pool->lock);
            if (job->settle)
                job->settle(job->arg, pool->settled);
            pthread_mutex_lock(&pool->lock);
            pool->settled++;
        }
        pool->settling = false;
    }
    pthread_mutex_unlock(&pool->lock);
}

static void *serve(void *arg)
{
    struct pool *pool = arg;
    size_t index;

    while (take(pool, &index))
        give(pool, index, pool->job->work(pool->job->arg, index));
    return NULL;
}

static size_t run_alone(const struct pool_job *job)
{
    for (size_t i = 0; i < job->n; i++) {
        if (job->stop && job->stop(job->arg))
            return i;
        if (!job->work(job->arg, i))
            return i;
        if (job->settle)
            job->settle(job->arg, i);
    }
    return job->n;
}

/* The caller's share of the work, with an eye on SIGTERM. */
static void serve_watching(struct pool *pool)
{
    size_t index;

    while (take(pool, &index)) {
        give(pool, index, pool->job->work(pool->job->arg, index));
        if (term_is_pending()) {
            pthread_mutex_lock(&pool->lock);
            pool->stopped = true;
            pthread_mutex_unlock(&pool->lock);
        }
    }
}

size_t pool_run(const struct pool_job *job)
{
    unsigned wanted = job->threads > 1 ? job->threads - 1 : 0;
    unsigned made = 0;
    struct pool pool = {.job = job};
    pthread_t *thread;
    sigset_t all, fatal, before;

    if (wanted > job->n)
        wanted = (unsigned)job->n;
    if (wanted == 0 || job->n < 2)
        return run_alone(job);
    thread = calloc(wanted, sizeof(*thread));
    pool.finished = calloc(job->n, sizeof(*pool.finished));
    if (!thread || !pool.finished ||
        pthread_mutex_init(&pool.lock, NULL) != 0) {
        free(thread);
        free(pool.finished);
        return run_alone(job);
    }
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (made < wanted &&
           pthread_create(&thread[made], NULL, serve, &pool) == 0)
        made++;
    fatal = before;
    sigaddset(&fatal, SIGTERM);
    sigaddset(&fatal, SIGABRT);
    pthread_sigmask(SIG_SETMASK, &fatal, NULL);
    serve_watching(&pool);
    for (unsigned i = 0; i < made; i++)
        pthread_join(thread[i], NULL);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_mutex_destroy(&pool.lock);
    free(thread);
    free(pool.finished);
    return pool.settled;
}
