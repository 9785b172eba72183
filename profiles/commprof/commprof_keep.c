/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commprof_keep.c - commprof-keep SPOOL RANK PID SECONDS: waits beside a
 * recorded task, and writes what it has counted, as SPOOL/node-RANK.kept, if no
 * MPI_Finalize has handed that over when it ends. A file has its name when it
 * is whole. Only the C library: there is one for each task */
#include "config.h"

#include "commprof/count/own_region.h"
#include "launch/kept.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds between looks at a task that has closed the pipe and goes on. */
enum { PAUSE_LEAST = 1000000, PAUSE_MOST = 1000000000 };

/* Whoever ends the task's group or session does not mean us; but a storage that
 * does not answer must not keep us for ever. */
static void hold_signals(void)
{
    sigset_t set;

    sigfillset(&set);
    sigdelset(&set, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

/* By its descriptor where the kernel has such (5.3), else by the pipe, which
 * processes that the task has started may have open, too. Either may come
 * early: whose child we are is what counts. */
static void wait_for_end(pid_t task)
{
    struct timespec pause = {.tv_nsec = PAUSE_LEAST};
    struct pollfd end = {.fd = OWN_REGION_END_FD, .events = POLLIN};
#ifdef SYS_pidfd_open
    int fd = (int)syscall(SYS_pidfd_open, task, 0);

    if (fd >= 0)
        end.fd = fd;
#endif
    while (getppid() == task && poll(&end, 1, -1) < 0 && errno == EINTR)
        ;
    while (getppid() == task) {
        nanosleep(&pause, NULL);
        if (pause.tv_nsec <= PAUSE_MOST / 4)
            pause.tv_nsec *= 2;
    }
}

/* How much of the region is to be written; 0: nothing. */
static uint64_t used_bytes(void)
{
    struct kept_head head;

    if (pread(OWN_REGION_FD, &head, sizeof(head), 0) != (ssize_t)sizeof(head) ||
        head.magic != KEPT_MAGIC || head.state != KEPT_COUNTING ||
        head.used < sizeof(head) || head.used > KEPT_REGION)
        return 0;
    return head.used;
}

static bool copy(int out, uint64_t used)
{
    static char bytes[1 << 16];

    for (uint64_t at = 0; at < used;) {
        const size_t n = used - at < sizeof(bytes) ? used - at : sizeof(bytes);
        const ssize_t got = pread(OWN_REGION_FD, bytes, n, (off_t)at);

        if (got <= 0)
            return false;
        for (ssize_t done = 0; done < got;) {
            const ssize_t put = write(out, bytes + done, (size_t)(got - done));

            if (put <= 0)
                return false;
            done += put;
        }
        at += (uint64_t)got;
    }
    return true;
}

static bool leave(const char *spool, unsigned long rank, uint64_t used)
{
    char name[64], part[sizeof(name) + 8];
    const int folder =
        open(spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool whole;
    int out;

    snprintf(name, sizeof(name), "node-%lu." KEPT_END, rank);
    snprintf(part, sizeof(part), "%s-part", name);
    out =
        folder >= 0
            ? openat(folder, part,
                     O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600)
            : -1;
    if (out < 0)
        return false;
    whole = copy(out, used);
    if (close(out) == 0 && whole && renameat(folder, part, folder, name) == 0)
        return true;
    unlinkat(folder, part, 0);
    return false;
}

int main(int argc, char **argv)
{
    uint64_t used;

    if (argc != 5)
        return 2;
    hold_signals();
    wait_for_end((pid_t)strtol(argv[3], NULL, 10));
    alarm((unsigned)strtoul(argv[4], NULL, 10));
    used = used_bytes();
    return used == 0 || leave(argv[1], strtoul(argv[2], NULL, 10), used) ? 0
                                                                         : 1;
}
