/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bounds.c - bounds on a command that reads what others wrote: its memory, and
 * the time that reading takes */
#include "config.h"

#include "tools/common/bounds.h"

#include "base/process.h"
#include "tools/common/tool.h"

#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

/* As it was before any of ours. */
static struct rlimit given;
static bool is_known;

void bounds_set_memory(uint64_t megabytes)
{
    const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    struct rlimit limit;
    rlim_t bytes = (rlim_t)megabytes << 20;

    if (!is_known && getrlimit(RLIMIT_AS, &given) != 0)
        return;
    is_known = true;
    limit = given;
    if (pages > 0 && page > 0 && bytes > (rlim_t)pages / 4 * (rlim_t)page)
        bytes = (rlim_t)pages / 4 * (rlim_t)page;
    if (limit.rlim_cur == RLIM_INFINITY || limit.rlim_cur > bytes)
        limit.rlim_cur = bytes;
    if (!SANITIZER_MAPS_TERABYTES)
        (void)setrlimit(RLIMIT_AS, &limit);
}

void bounds_lift_memory(void)
{
    if (is_known)
        (void)setrlimit(RLIMIT_AS, &given);
}

/* SIGALRM stays what it is to srun's plan: the end, even of a process that
 * waits for a file system. */
#define READING_SIGNAL SIGVTALRM

static char late[80];
static size_t late_length;
static timer_t timer;
static bool has_timer;

static void end_late(int number)
{
    (void)number;
    if (write(STDERR_FILENO, late, late_length) < 0)
        _exit(TOOL_FAILED);
    _exit(TOOL_FAILED);
}

void bounds_begin_reading(double start, double seconds)
{
    struct sigaction action = {.sa_handler = end_late};
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL,
        .sigev_signo = READING_SIGNAL,
    };
    struct itimerspec when = {.it_value = {.tv_nsec = 1}};
    double left;

    bounds_end_reading();
    if (seconds <= 0)
        return;
    if (seconds < BOUNDS_READING_LEAST)
        seconds = BOUNDS_READING_LEAST;
    left = start + seconds - tool_now();
    if (left > 0.001) {
        when.it_value.tv_sec = (time_t)left;
        when.it_value.tv_nsec = (long)(1e9 * (left - (double)(time_t)left));
    }
    snprintf(late, sizeof(late),
             "topomap: reading took longer than %.3g s: give more by --time\n",
             seconds);
    late_length = strlen(late);
    sigemptyset(&action.sa_mask);
    if (sigaction(READING_SIGNAL, &action, NULL) == 0 &&
        timer_create(CLOCK_MONOTONIC, &event, &timer) == 0) {
        has_timer = true;
        timer_settime(timer, 0, &when, NULL);
    }
}

void bounds_end_reading(void)
{
    if (!has_timer)
        return;
    timer_delete(timer);
    has_timer = false;
    /* One that has come just now is as good as none. */
    signal(READING_SIGNAL, SIG_IGN);
}
