/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* forked.c - a copy of the process, made by the bare system call. fork() would
 * run what MPI libraries have given to pthread_atfork(): a warning on the
 * program's stderr from Open MPI's verbs, an abort from libfabric's EFA where
 * forks are not safe for it. A thread would not do: the program could not end
 * while one of its threads waits for storage. The price is that locks which
 * other threads held remain locked in the copy, so that it first tries those of
 * malloc and stdio. */
#include "config.h"

#include "commprof/forked.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    ATTEMPTS = 3,
    /* Larger than what malloc keeps for each thread, smaller than what it maps
     * on its own: it takes the lock. */
    PROBE = 64 << 10,
    READY_MS = 1000, /* a lock that is free is had in microseconds */
    KILLED_MS = 50,
    PAUSE_LEAST_NS = 50000,
    PAUSE_MOST_NS = 5000000,
    DESCRIPTORS_MOST = 65536,
};

/* In memory that both share. */
struct shared {
    int ready, done; /* by __atomic */
    struct forked_result result;
};

static bool is_set(const int *flag)
{
    return __atomic_load_n(flag, __ATOMIC_ACQUIRE) != 0;
}

static uint64_t now_ms(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

pid_t forked_start(unsigned long flags)
{
    sigset_t all, before;
    pid_t pid;

    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pid = (pid_t)syscall(SYS_clone, flags, 0UL, 0UL, 0UL, 0UL);
    if (pid != 0)
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    return pid;
}

void forked_close(int from)
{
    const struct rlimit no_core = {0, 0};
    long most;

    setrlimit(RLIMIT_CORE, &no_core);
#ifdef SYS_close_range
    if (syscall(SYS_close_range, (unsigned)from, ~0U, 0U) == 0)
        return;
#endif
    most = sysconf(_SC_OPEN_MAX);
    if (most < 0 || most > DESCRIPTORS_MOST)
        most = DESCRIPTORS_MOST;
    for (int fd = from; fd < most; fd++)
        close(fd);
}

static bool try_locks(void)
{
    void *memory = malloc(PROBE);
    FILE *file = fopen("/dev/null", "we");

    free(memory);
    return memory && file && fclose(file) == 0;
}

static void be_the_copy(struct shared *shared,
                        forked_work *work,
                        const void *subject)
{
    int null;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    /* A process that waits for the end of the program's output does not wait
     * for us. */
    forked_close(0);
    do {
        null = open("/dev/null", O_RDWR);
    } while (null >= 0 && null < STDERR_FILENO);
    if (!try_locks())
        _exit(1);
    __atomic_store_n(&shared->ready, 1, __ATOMIC_RELEASE);
    shared->result.status = work(&shared->result, subject);
    __atomic_store_n(&shared->done, 1, __ATOMIC_RELEASE);
    _exit(0);
}

/* True when it has ended, or is no longer a child of ours. */
static bool has_ended(pid_t pid)
{
    return waitpid(pid, NULL, WNOHANG | __WALL) != 0;
}

/* A process that waits for storage ends when that answers, if ever. */
static void kill_it(pid_t pid)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    const uint64_t until = now_ms() + KILLED_MS;

    kill(pid, SIGKILL);
    while (!has_ended(pid) && now_ms() < until)
        nanosleep(&pause, NULL);
}

/* *retry: it hangs in a lock that a thread of ours held. */
static enum forked_end watch(const struct shared *shared,
                             pid_t pid,
                             uint32_t seconds,
                             bool *retry)
{
    const uint64_t began = now_ms();
    struct timespec pause = {.tv_nsec = PAUSE_LEAST_NS};

    while (!has_ended(pid)) {
        const uint64_t waited = now_ms() - began;

        *retry = !is_set(&shared->ready) && waited > READY_MS;
        if (*retry || waited > (uint64_t)seconds * 1000) {
            kill_it(pid);
            return is_set(&shared->done) ? FORKED_DONE
                   : *retry              ? FORKED_FAILED
                                         : FORKED_LATE;
        }
        nanosleep(&pause, NULL);
        if (pause.tv_nsec < PAUSE_MOST_NS)
            pause.tv_nsec *= 2;
    }
    return is_set(&shared->done) ? FORKED_DONE : FORKED_FAILED;
}

enum forked_end forked_run(struct forked_result *out,
                           forked_work *work,
                           const void *subject,
                           uint32_t seconds)
{
    enum forked_end end = FORKED_FAILED;
    struct shared *shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
                                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    bool retry = shared != MAP_FAILED;

    for (int i = 0; i < ATTEMPTS && retry; i++) {
        pid_t pid;

        retry = false;
        memset(shared, 0, sizeof(*shared));
        pid = forked_start(0);
        if (pid == 0)
            be_the_copy(shared, work, subject);
        if (pid > 0)
            end = watch(shared, pid, seconds, &retry);
    }
    if (shared == MAP_FAILED)
        return FORKED_FAILED;
    if (end == FORKED_DONE)
        *out = shared->result;
    munmap(shared, sizeof(*shared));
    return end;
}
