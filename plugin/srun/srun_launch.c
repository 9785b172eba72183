/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_launch.c - what is told of a step that is planned or recorded, to its
 * tasks or to its user */
#include "config.h"

#include "plugin/srun/srun_launch.h"

#include "base/text.h"
#include "plugin/handoff/handoff.h"
#include "plugin/srun/child.h"
#include "plugin/srun/child_signals.h"

#include <stdlib.h>
#include <time.h>

void launch_send_step(const struct launch *launch, const char *failure)
{
    const struct handoff handoff = {
        .typed = launch->options->typed,
        .verbose = launch->options->verbose,
        .strict = launch->options->strict || child_signal(),
        .dry_run = launch->options->dry_run,
        .failure = failure,
    };
    char text[1024];

    handoff_format(text, sizeof(text), &handoff, launch->job, launch->step);
    setenv(handoff_names[HANDOFF_STEP], text, 1);
}

void launch_give_up(const struct launch *launch, const char *reason)
{
    noted_outcome(&launch->step_files->noted, "failed", reason);
    if (launch->options->strict || child_signal())
        launch_send_step(launch, reason);
    else
        launch_say(launch, "%s", reason);
}

/* Newer Slurms tell when the job's time is up. */
static double job_left(void)
{
    const char *end = getenv("SLURM_JOB_END_TIME");
    uint64_t at;

    return end && text_parse_u64(end, &at) ? (double)at - (double)time(NULL)
                                           : 0;
}

void launch_begin(struct launch *launch)
{
    launch->begun = child_clock();
    launch->seconds =
        options_seconds(launch->options, launch->plugstack, job_left());
}

double launch_time_left(const struct launch *launch)
{
    return launch->begun + launch->seconds - child_clock();
}
