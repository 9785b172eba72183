/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_launch.h - what srun's side knows of the step while it plans or records
 * it, and how it ends without either */
#ifndef PLUGIN_SRUN_LAUNCH_H
#define PLUGIN_SRUN_LAUNCH_H

#include "plugin/options.h"
#include "plugin/say.h"
#include "plugin/srun/layout.h"
#include "plugin/srun/lookup.h"
#include "plugin/srun/noted.h"

#include "launch/plan.h"

#include <slurm/spank.h>

/* `topomap` keeps the budget itself, and is killed this much later. */
#define LAUNCH_GRACE 0.1
/* topomap plan --facts - --to=wire --step STEP */
#define LAUNCH_WORDS 7
/* Words of a command that are told to `topomap`. */
#define LAUNCH_TYPED_MOST 1000

/* What a step leaves behind until it is over; each owned, NULL where there is
 * none. */
struct step_files {
    char *handoff; /* a file for the tasks, to be removed */
    char *ranks;   /* plugin/srun/rank_list.h, to be removed */
    char *spool;   /* the folder of a recording, to be collected */
    char *times;   /* the same of time in MPI alone */
    struct noted noted;
};

struct launch {
    spank_t spank;
    const struct options *options;
    const struct plugstack *plugstack;
    struct step_files *step_files;
    uint32_t job, step;
    struct layout layout;
    struct lookup files;
    char **typed; /* steps_command */
    int ntyped;
    const char *argv[LAUNCH_WORDS + OPTIONS_WORDS + 4];
    const char **options_at; /* in argv: what makes the plan */
    char time[32], job_text[16], step_text[24], record_text[16];
    struct mapcore_plan *plan;
    double begun;   /* child_clock() */
    double seconds; /* that it may take from then on */
};

/* To whoever typed the option. A site default is silent. */
#define launch_say(launch, ...)                                                \
    ((launch)->options->typed ? say_user(__VA_ARGS__) : (void)0)

/* Takes the time from now on. */
void launch_begin(struct launch *launch);
/* Seconds of the budget. */
double launch_time_left(const struct launch *launch);

/* The tasks read this first, and nothing else without it; failure (or NULL) is
 * why they are to end. */
void launch_send_step(const struct launch *launch, const char *failure);

/* No plan, no recording: the launch goes on as without topomap. With strict it
 * does not: this hook cannot stop it, so the tasks end themselves. Nor after a
 * Ctrl-C: a short program would be over before the signal comes again. */
void launch_give_up(const struct launch *launch, const char *reason);

#endif
