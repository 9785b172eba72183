/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_launch.h - what srun's side knows of a step while it plans or records
 * it, and how it ends without either */
#ifndef PLUGIN_SRUN_LAUNCH_H
#define PLUGIN_SRUN_LAUNCH_H

#include "plugin/policy.h"
#include "plugin/say.h"
#include "plugin/srun/layout.h"
#include "plugin/srun/lookup.h"
#include "plugin/srun/step_end.h"

#include "launch/plan.h"

/* `topomap` keeps the budget itself, and is killed this much later. */
#define LAUNCH_GRACE 0.1
/* topomap plan --facts - --to=wire --step STEP */
#define LAUNCH_WORDS 7
/* Words of a command that `topomap` gets. */
#define LAUNCH_TYPED_MOST 1000
/* Of srun's command line. */
#define LAUNCH_LINE_MOST 65536

struct launch {
    spank_t spank;
    struct options *options;
    struct plugstack *plugstack;
    struct step_files *step_files;
    uint32_t job, step;
    struct layout layout;
    char line[LAUNCH_LINE_MOST];
    struct policy_words srun; /* into line */
    char **typed; /* the command as typed, ended by NULL; its words but for the
                     first are srun's; NULL: srun shows none */
    int ntyped;   /* for `topomap`: 0 with exe=, and beyond LAUNCH_TYPED_MOST,
                     where the program alone is looked up */
    struct lookup files;
    const char *argv[LAUNCH_WORDS + OPTIONS_WORDS + 4];
    const char **options_at; /* in argv: what makes the plan */
    char time[32], job_text[16], step_text[24], record_text[16];
    struct mapcore_plan *plan;
    double begun;   /* child_clock() */
    double seconds; /* that it may take from then on */
};

/* To the user who typed the option; a site default is silent. With what a dry
 * run does not do, and that the job runs where nothing comes of the option. */
void launch_say(const struct launch *launch,
                enum outcome outcome,
                const char *format,
                ...) __attribute__((format(printf, 3, 4)));

/* Whether srun will hand the step over and end, without asking anybody
 * (--async, Slurm 26.05). To be asked before the allocation. */
bool launch_is_async(void);

/* Reads the commands of srun and of the step, and asks the site, which may
 * switch the mode off. From now on launch takes time. Errors: as
 * site_words_take. */
int launch_begin(struct launch *launch, struct mapcore_error *err);
void launch_end(struct launch *launch);
/* Seconds of the budget. */
double launch_time_left(const struct launch *launch);

/* The files of the step, into launch->files. Its program is exe=, or without it
 * the command as typed, which need not be found when name= or a graph file says
 * what to do. Errors: as lookup_launch. */
int launch_look_up(struct launch *launch, struct mapcore_error *err);
/* Why topomap leaves the step alone, or NULL; empty: without a message. */
const char *launch_refusal(const struct launch *launch);
/* Whether the step asks for GPUs, as far as srun lets see. */
bool launch_has_gpus(const struct launch *launch);

/* The tasks read this first, and nothing else without it; failure (or NULL) is
 * why they are to end. */
void launch_send_step(const struct launch *launch, const char *failure);

/* No plan, no recording: the launch goes on as without topomap. With strict it
 * does not: this hook cannot stop it, so the tasks end themselves. Nor after a
 * Ctrl-C: a short program would be over before the signal comes again. */
void launch_give_up(const struct launch *launch,
                    enum outcome outcome,
                    const char *reason);

/* srun, between the allocation and the launch: maps or records the step as the
 * user and the site say, who may have waited long for it, or says why not.
 * Nothing that fails here stops the launch (strict: the tasks end themselves;
 * dry run: they end at once). files is filled as it goes. */
void srun_planner_run(spank_t spank,
                      struct options *options,
                      struct plugstack *plugstack,
                      struct step_files *files);

/* Makes sure that what the step will send can be filed, and names its tasks the
 * recorder; or says why nothing is recorded. */
void srun_recording_run(const struct launch *launch);
/* Has the tasks count how long they are in MPI, for the history. What speaks
 * against it is not said: no user asked. */
void srun_recording_time(const struct launch *launch);

#endif
