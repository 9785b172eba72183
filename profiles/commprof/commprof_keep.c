/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* commprof_keep.c - commprof-keep SPOOL RANK PID SECONDS: waits beside a
 * recorded task, and writes what it has counted, as SPOOL/node-RANK.kept, if no
 * MPI_Finalize has handed that over when it ends. A file has its name when it
 * is whole. Only the C library: there is one for each task */
#include "config.h"

#include "commprof/count/keep.h"
#include "launch/kept.h"

#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/sendfile.h>
#include <time.h>
#include <unistd.h>

/* Nanoseconds between looks at a task whose thread has ended, and which goes
 * on. */
enum { PAUSE_LEAST = 1000000, PAUSE_MOST = 1000000000 };

/* A signal to the task's group or session is not meant for us; but a storage
 * that does not answer must not keep us for ever. */
static void hold_signals(void)
{
    sigset_t set;

    sigfillset(&set);
    sigdelset(&set, SIGALRM);
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_SETMASK, &set, NULL);
}

/* The kernel's signal says that the thread has ended which was in MPI_Init:
 * with the task, or before it. Whose child we are is what counts. */
static void wait_for_end(pid_t task)
{
    struct timespec pause = {.tv_nsec = PAUSE_LEAST};
    sigset_t end;

    sigemptyset(&end);
    sigaddset(&end, SIGUSR1);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    while (getppid() == task && sigwaitinfo(&end, NULL) < 0)
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

static bool leave(const char *spool, unsigned long rank, uint64_t used)
{
    char name[64], part[sizeof(name) + 8];
    const int folder =
        open(spool, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    off_t at = 0;
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
    while ((uint64_t)at < used &&
           sendfile(out, OWN_REGION_FD, &at, (size_t)(used - (uint64_t)at)) > 0)
        ;
    if (close(out) == 0 && (uint64_t)at == used &&
        renameat(folder, part, folder, name) == 0)
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
