/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* improve.c - a plan made better while the step that it is for runs */
#include "config.h"

#include "tools/plan/improve.h"

#include "profiles/detached.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { LEAST_PRIORITY = 19 };
/* Behind the time of its searches: something keeps it. */
static const double LATE_S = 5;

static int open_process(pid_t pid)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, pid, 0);
#else
    (void)pid;
    return -1; /* then nothing is left behind */
#endif
}

/* The searches, until the time is up, or one is through. */
static void search_on(struct planner *planner, double seconds)
{
    double end = tool_now() + seconds;
    double slice = planner->cache.time_s > 0 ? planner->cache.time_s : 1;
    bool more = true;
    struct guard guard;

    planner->parameters.threads = 1;
    if (planner_guard(&guard, planner, NULL) < 0)
        return;
    planner->guard = &guard;
    planner->parameters.workload = guard.types.n > 0 ? &guard.work : NULL;
    while (more && (slice *= 2) <= end - tool_now()) {
        struct timed_search which = {.deadline = tool_now() + slice};
        struct mapcore_search search = planner->parameters;
        struct mapcore_result found = {0};
        double estimate[2];

        search.seed = ++planner->parameters.seed;
        if (timed_search_run(&found, NULL, planner->graph.task_graph,
                             planner->machine.alloc, &which, &search, NULL) < 0)
            break;
        more = found.interrupted;
        if (planner_is_better(estimate, planner, &found)) {
            mapcore_result_clear(&planner->result);
            planner->result = found;
            if (plan_cache_store(&planner->cache, &planner->result, NULL) < 0)
                break;
        } else {
            mapcore_result_clear(&found);
        }
    }
    guard_end(&guard);
}

/* Until srun, or the process that searches, has ended, or the time has. */
static void watch(int srun, pid_t searches, double seconds)
{
    struct pollfd end[] = {{.fd = srun, .events = POLLIN},
                           {.fd = open_process(searches), .events = POLLIN}};

    if (end[1].fd >= 0)
        (void)poll(end, 2, (int)(1000 * (seconds + LATE_S)));
    kill(searches, SIGKILL);
}

void improve_in_background(struct planner *planner, double seconds)
{
    pid_t srun = getppid(), watcher, searches;
    int fd;

    if (!(seconds > 0) || !planner->has_result || planner->made[0] != '\0' ||
        !planner->result.interrupted || planner->cache.key[0] == '\0' ||
        srun <= 1 || (fd = open_process(srun)) < 0)
        return;
    /* Two: the one that searches cannot look at srun, and ends with the one
     * that does. A session of their own: srun ends our group when it has its
     * answer. */
    watcher = getppid() == srun ? fork() : -1;
    if (watcher == 0) {
        setsid();
        setpriority(PRIO_PROCESS, 0, LEAST_PRIORITY);
        detached_let_go(); /* what srun may wait for is its own */
        watcher = getpid();
        searches = fork();
        if (searches == 0) {
            prctl(PR_SET_PDEATHSIG, SIGKILL);
            if (getppid() == watcher)
                search_on(planner, seconds);
        } else if (searches > 0) {
            watch(fd, searches, seconds);
        }
        _exit(0);
    }
    close(fd);
}
