/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* detached.c - leaving session, streams and parent behind */
#include "config.h"

#include "profiles/detached.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A child that gets no processor for so long goes its way unwatched. */
enum { SESSION_MS = 1000 };

/* As of <linux/ioprio.h>, which older headers lack. */
enum { IOPRIO_PROCESS = 1, IOPRIO_IDLE = 3 << 13 };
enum { LAST_NICE = 19 };

void detached_let_go(void)
{
    int null = open("/dev/null", O_RDWR);

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
}

/* Who started us may end our group as soon as we have answered. Into the group
 * of that one: a group of its own would keep the child from a session. */
static bool leave_group(pid_t child)
{
    const pid_t group = getpgid(getppid());

    return group > 0 && group != getpgrp() && setpgid(child, group) == 0;
}

bool detached_leave(void)
{
    static const int ending[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};

    if (!leave_group(0))
        return false;
    for (size_t i = 0; i < sizeof(ending) / sizeof(ending[0]); i++)
        signal(ending[i], SIG_IGN);
    prctl(PR_SET_PDEATHSIG, 0);
    return true;
}

void detached_last(void)
{
    int fd = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);

    (void)setpriority(PRIO_PROCESS, 0, LAST_NICE);
    (void)syscall(SYS_ioprio_set, IOPRIO_PROCESS, 0, IOPRIO_IDLE);
    if (fd >= 0) {
        dprintf(fd, "1000");
        close(fd);
    }
}

/* Until the child has closed its end, which it does in its own session. */
static void wait_for_session(int fd)
{
    struct pollfd end = {.fd = fd};
    int ready;

    do
        ready = poll(&end, 1, SESSION_MS);
    while (ready < 0 && errno == EINTR);
}

pid_t detached_fork(unsigned seconds)
{
    int ends[2];
    bool tells = pipe2(ends, O_CLOEXEC) == 0;
    pid_t child = fork();

    if (child == 0) {
        setsid();
        prctl(PR_SET_PDEATHSIG, 0);
    }
    if (tells)
        close(ends[1]);
    if (tells && child > 0 && !leave_group(child))
        wait_for_session(ends[0]);
    if (tells)
        close(ends[0]);
    if (child != 0)
        return child;
    detached_let_go();
    alarm(seconds);
    return 0;
}

void detached_wait(pid_t child, double seconds)
{
    const struct timespec pause = {.tv_nsec = 50000};

    while (child > 0 && seconds > 0 && waitpid(child, NULL, WNOHANG) == 0) {
        nanosleep(&pause, NULL);
        seconds -= 1e-9 * (double)pause.tv_nsec;
    }
}
