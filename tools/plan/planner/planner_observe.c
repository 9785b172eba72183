/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_observe.c - srun's answer before the plan, and what the plan may take
 * from the ranks that run meanwhile */
#include "config.h"

#include "tools/plan/planner/planner.h"

#include "profiles/detached.h"
#include "tools/common/bounds.h"
#include "tools/plan/plan_print.h"

#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

enum {
    ALONE_S = 600, /* of the clock */
    AFTER_S = 10,  /* the step or srun is over */
    MEMORY_MB = 1024,
};

static void end_soon(int number)
{
    (void)number;
    alarm(AFTER_S);
}

static void go_alone(struct planner *planner)
{
    struct plan_request *request = &planner->request;
    const double seconds = planner->sources.deadline - request->start;
    const uint64_t memory = planner->sources.site->plan_memory_mb;

    planner->answered_s = (double)time(NULL);
    signal(SIGTERM, SIG_DFL); /* of a job that is cancelled */
    signal(SIGUSR1, end_soon);
    prctl(PR_SET_PDEATHSIG, SIGUSR1);
    alarm(ALONE_S);
    detached_last();
    bounds_set_memory(memory > 0 && memory < MEMORY_MB ? memory : MEMORY_MB);
    request->bounds_memory = false;
    request->search.threads = 1;
    request->learn = NULL; /* graphs are compared in placed runs */
    tool_count_cpu_time();
    request->start = tool_now();
    if (planner->sources.deadline > 0)
        planner->sources.deadline = request->start + seconds;
}

int planner_observe(struct planner *planner)
{
    int error = 0;

    if (!planner->sources.is_missing) {
        planner->plan.outcome = MAPCORE_PLAN_UNCHANGED;
        error = planner_say(planner, MESSAGE_OBSERVED, planner_subject(planner),
                            planner->facts->ntasks);
    }
    if (error == 0 && planner->request.learn)
        planner_learn(planner);
    bounds_end_reading();
    if (error < 0 || !detached_leave())
        return error < 0 ? error : PLANNER_DONE;
    if ((error = plan_print(planner, PLAN_WIRE)) < 0 || fflush(stdout) != 0)
        return error < 0 ? error : PLANNER_DONE;
    detached_let_go();
    go_alone(planner);
    return 0;
}
