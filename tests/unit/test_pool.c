/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* test_pool.c - indexed work: every index once, settled in order */
#include "config.h"

#include "unit.h"

#include "pool/pool.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#define N 1000

struct job {
    atomic_int done[N];
    size_t settled;
    size_t unfinished; /* index whose work gives up, or SIZE_MAX */
    atomic_int questions;
    int patience; /* stop is true after this number of questions, never if < 0
                   */
    atomic_bool open_signal;
    pthread_t caller;
};

static bool work(void *arg, size_t index)
{
    struct job *job = arg;
    sigset_t mask;

    if (index == job->unfinished)
        return false;
    if (index % 7 == 0)
        sched_yield();
    pthread_sigmask(SIG_SETMASK, NULL, &mask);
    if (!sigismember(&mask, SIGTERM) ||
        (!pthread_equal(pthread_self(), job->caller) &&
         !sigismember(&mask, SIGINT)))
        job->open_signal = true;
    job->done[index]++;
    return true;
}

static void settle(void *arg, size_t index)
{
    struct job *job = arg;

    assert_int_equal(job->settled, index);
    assert_int_equal(job->done[index], 1);
    job->settled++;
}

static bool out_of_patience(void *arg)
{
    struct job *job = arg;

    return job->patience >= 0 && job->questions++ >= job->patience;
}

static size_t run(struct job *job, struct pool *pool)
{
    struct pool_job todo = {.n = N,
                            .work = work,
                            .settle = settle,
                            .stop = out_of_patience,
                            .arg = job};

    memset(job->done, 0, sizeof(job->done));
    job->settled = 0;
    job->questions = 0;
    job->open_signal = false;
    job->caller = pthread_self();
    return pool_run(pool, &todo);
}

static void test_all(void **state)
{
    struct job *job = calloc(1, sizeof(*job));

    assert_non_null(job);
    job->unfinished = SIZE_MAX;
    job->patience = -1;
    for (unsigned threads = 0; threads <= 5; threads++) {
        struct pool *pool = pool_create(threads);

        assert_int_equal(run(job, pool), N);
        assert_int_equal(job->settled, N);
        for (size_t i = 0; i < N; i++)
            assert_int_equal(job->done[i], 1);
        if (threads > 1)
            assert_false(job->open_signal);
        pool_destroy(pool);
    }
    free(job);
}

static void test_gap(void **state)
{
    struct job *job = calloc(1, sizeof(*job));

    assert_non_null(job);
    job->patience = -1;
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct pool *pool = pool_create(threads);

        job->unfinished = 613;
        assert_int_equal(run(job, pool), 613);
        assert_int_equal(job->settled, 613);
        job->unfinished = 0;
        assert_ok(run(job, pool));
        pool_destroy(pool);
    }
    free(job);
}

static void test_stop(void **state)
{
    struct job *job = calloc(1, sizeof(*job));

    assert_non_null(job);
    job->unfinished = SIZE_MAX;
    for (unsigned threads = 1; threads <= 4; threads++) {
        struct pool *pool = pool_create(threads);

        for (job->patience = 0; job->patience < 40; job->patience++) {
            size_t n = run(job, pool);

            assert_int_equal(job->settled, n);
            /* A thread that was allowed to go on may find the job stopped by
             * one that asked after it. */
            assert_true(n <= (size_t)job->patience);
            assert_true(n + threads > (size_t)job->patience);
        }
        pool_destroy(pool);
    }
    free(job);
}

static void test_none(void **state)
{
    struct pool_job job = {.n = 0, .work = work};
    struct pool *pool = pool_create(4);

    assert_ok(pool_run(pool, &job));
    assert_ok(pool_run(NULL, &job));
    pool_destroy(pool); /* no job ever had anything for its threads */
    pool_destroy(NULL);
    assert_null(pool_create(0));
    assert_null(pool_create(1));
}

struct many {
    struct pool *pool;
    uint32_t touched[3]; /* not atomic: each is one index's */
};

static bool touch(void *arg, size_t index)
{
    struct many *many = arg;

    many->touched[index]++;
    return true;
}

static bool touch_all(void *arg, size_t index)
{
    struct many *many = arg;
    struct pool_job inner = {.n = 3, .work = touch, .arg = many};

    return index == 0 && pool_run(many->pool, &inner) == 3;
}

/* Threads are there for one job after another, and for those that the only
 * index of a job runs; no thread is at work any more when a job returns. */
static void test_many(void **state)
{
    struct many many = {.pool = pool_create(3)};
    struct pool_job outer = {.n = 1, .work = touch_all, .arg = &many};

    assert_non_null(many.pool);
    for (uint32_t i = 1; i <= 2000; i++) {
        assert_int_equal(pool_run(many.pool, &outer), 1);
        for (size_t k = 0; k < 3; k++)
            assert_int_equal(many.touched[k], i);
    }
    pool_destroy(many.pool);
}

static volatile sig_atomic_t terms;

static void on_term(int signal)
{
    (void)signal;
    terms++;
}

static bool raise_term(void *arg, size_t index)
{
    (void)arg;
    if (index == 3)
        kill(getpid(), SIGTERM);
    /* So long that the caller, who looks for it, has a turn before the end. */
    if (index > 3)
        usleep(20);
    assert_int_equal(terms, 0);
    return true;
}

/* A SIGTERM that comes while threads run ends the job early, and its handler
 * runs on return, not before. */
static void test_term(void **state)
{
    struct sigaction action = {.sa_handler = on_term}, before;
    struct pool_job job = {.n = 1000000, .work = raise_term};
    struct pool *pool = pool_create(2);
    size_t n;

    sigaction(SIGTERM, &action, &before);
    n = pool_run(pool, &job);
    assert_true(n >= 4);
    assert_true(n < 1000000);
    assert_int_equal(terms, 1);
    sigaction(SIGTERM, &before, NULL);
    pool_destroy(pool);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all),  cmocka_unit_test(test_gap),
        cmocka_unit_test(test_stop), cmocka_unit_test(test_none),
        cmocka_unit_test(test_term), cmocka_unit_test(test_many),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
