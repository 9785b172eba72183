/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* pool.c - indexed work on several threads; the only file that makes threads */
#include "config.h"

#include "pool/pool.h"

#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* A job under way. */
struct pool_run {
    const struct pool_job *job;
    pthread_mutex_t *lock; /* of the pool */
    size_t next;           /* first index that was not handed out */
    size_t settled;        /* all below are settled */
    bool *finished;        /* [n], read and written under the lock */
    bool stopped;
    bool settling; /* some thread is calling settle, without the lock */
};

struct pool {
    pthread_mutex_t lock;
    pthread_cond_t wanted; /* there is something to do, or no more ever */
    pthread_cond_t idle;   /* only the caller is at work */
    struct pool_run *run;  /* NULL between jobs */
    unsigned helping;      /* threads that are at work on it, but the caller */
    unsigned helpers;      /* that were made, or are to be: see is_begun */
    bool is_begun;
    bool ends;
    pthread_t thread[];
};

/* A SIGTERM that waits for the caller to unblock it. */
static bool term_is_pending(void)
{
    sigset_t pending;

    return sigpending(&pending) == 0 && sigismember(&pending, SIGTERM) == 1;
}

static bool has_more(const struct pool_run *run)
{
    return !run->stopped && run->next < run->job->n;
}

/* Hands out the next index; false when there is none. */
static bool take(struct pool_run *run, size_t *index)
{
    const struct pool_job *job = run->job;
    bool stop = job->stop && job->stop(job->arg);
    bool taken;

    pthread_mutex_lock(run->lock);
    if (stop)
        run->stopped = true;
    taken = has_more(run);
    if (taken)
        *index = run->next++;
    pthread_mutex_unlock(run->lock);
    return taken;
}

/* Notes an index as finished and settles what has no gap before it. One
 * thread settles at a time; the others leave it their results and go on. */
static void give(struct pool_run *run, size_t index, bool finished)
{
    const struct pool_job *job = run->job;

    pthread_mutex_lock(run->lock);
    if (finished)
        run->finished[index] = true;
    else
        run->stopped = true;
    if (!run->settling) {
        run->settling = true;
        while (run->settled < job->n && run->finished[run->settled]) {
            pthread_mutex_unlock(run->lock);
            if (job->settle)
                job->settle(job->arg, run->settled);
            pthread_mutex_lock(run->lock);
            run->settled++;
        }
        run->settling = false;
    }
    pthread_mutex_unlock(run->lock);
}

/* watches: with an eye on SIGTERM. */
static void help(struct pool_run *run, bool watches)
{
    size_t index;

    while (take(run, &index)) {
        give(run, index, run->job->work(run->job->arg, index));
        if (watches && term_is_pending()) {
            pthread_mutex_lock(run->lock);
            run->stopped = true;
            pthread_mutex_unlock(run->lock);
        }
    }
}

/* A thread of the pool. Who is at work is counted, so that the caller waits for
 * these alone. */
static void *serve(void *arg)
{
    struct pool *pool = arg;

    pthread_mutex_lock(&pool->lock);
    while (!pool->ends) {
        struct pool_run *run = pool->run;

        if (!run || !has_more(run)) {
            pthread_cond_wait(&pool->wanted, &pool->lock);
            continue;
        }
        pool->helping++;
        pthread_mutex_unlock(&pool->lock);
        help(run, false);
        pthread_mutex_lock(&pool->lock);
        if (--pool->helping == 0)
            pthread_cond_signal(&pool->idle);
    }
    pthread_mutex_unlock(&pool->lock);
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

struct pool *pool_create(unsigned threads)
{
    unsigned helpers = threads > 1 ? threads - 1 : 0;
    struct pool *pool;

    if (helpers == 0)
        return NULL;
    pool = calloc(1, sizeof(*pool) + helpers * sizeof(*pool->thread));
    if (!pool)
        return NULL;
    pool->helpers = helpers;
    if (pthread_mutex_init(&pool->lock, NULL) != 0)
        goto no_lock;
    if (pthread_cond_init(&pool->wanted, NULL) != 0)
        goto no_wanted;
    if (pthread_cond_init(&pool->idle, NULL) != 0)
        goto no_idle;
    return pool;
no_idle:
    pthread_cond_destroy(&pool->wanted);
no_wanted:
    pthread_mutex_destroy(&pool->lock);
no_lock:
    free(pool);
    return NULL;
}

void pool_destroy(struct pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    pool->ends = true;
    pthread_cond_broadcast(&pool->wanted);
    pthread_mutex_unlock(&pool->lock);
    for (unsigned i = 0; pool->is_begun && i < pool->helpers; i++)
        pthread_join(pool->thread[i], NULL);
    pthread_cond_destroy(&pool->idle);
    pthread_cond_destroy(&pool->wanted);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

/* Makes the threads, once. */
static void make_threads(struct pool *pool)
{
    unsigned made = 0;
    sigset_t all, before;

    if (pool->is_begun)
        return;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    while (made < pool->helpers &&
           pthread_create(&pool->thread[made], NULL, serve, pool) == 0)
        made++;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pool->helpers = made;
    pool->is_begun = true;
}

static void offer(struct pool *pool, struct pool_run *run)
{
    pthread_mutex_lock(&pool->lock);
    pool->run = run;
    if (run->job->n == 2)
        pthread_cond_signal(&pool->wanted);
    else
        pthread_cond_broadcast(&pool->wanted);
    pthread_mutex_unlock(&pool->lock);
}

/* The caller has found nothing more to do. */
static void take_back(struct pool *pool)
{
    pthread_mutex_lock(&pool->lock);
    while (pool->helping > 0)
        pthread_cond_wait(&pool->idle, &pool->lock);
    pool->run = NULL;
    pthread_mutex_unlock(&pool->lock);
}

size_t pool_run(struct pool *pool, const struct pool_job *job)
{
    struct pool_run run = {.job = job};
    sigset_t fatal, before;

    if (!pool || job->n < 2)
        return run_alone(job);
    make_threads(pool);
    run.lock = &pool->lock;
    run.finished = calloc(job->n, sizeof(*run.finished));
    if (!run.finished)
        return run_alone(job);
    sigemptyset(&fatal);
    sigaddset(&fatal, SIGTERM);
    sigaddset(&fatal, SIGABRT);
    pthread_sigmask(SIG_BLOCK, &fatal, &before);
    offer(pool, &run);
    help(&run, true);
    take_back(pool);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    free(run.finished);
    return run.settled;
}
