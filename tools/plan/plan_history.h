/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_history.h - what a launch leaves for people: the line of the history,
 * and a job's comment */
#ifndef TOOLS_PLAN_HISTORY_H
#define TOOLS_PLAN_HISTORY_H

#include "profiles/history/history_evaluation.h"
#include "tools/plan/planner/planner.h"

/* "4711.0". Errors: EINVAL. */
int plan_history_parse_step(uint32_t *job,
                            uint32_t *step,
                            const char *text,
                            struct mapcore_error *err);

/* What is known of the launch before there is a plan: the program, its
 * arguments, the nodes. Errors: ENOMEM. */
int plan_history_begin(struct history_line *out,
                       const struct planner *planner,
                       const char *step,
                       struct mapcore_error *err);

/* Has it written, by a process that srun does not wait for, with what has
 * become of the plan; by this one, if it is_alone. log: beside what the site
 * file says, or NULL; evaluation: what was learnt, to be kept, or NULL. */
void plan_history_leave(const struct planner *planner,
                        const char *step,
                        const char *log,
                        const struct history_evaluation *evaluation,
                        bool asks_cpus,
                        bool is_alone);

/* Tells slurmctld of a step, from a process of its own that srun does not wait
 * for: when it is launched, since the job of an srun without one is over with
 * it. The comment gets what came out behind what it says: "topomap: 0
 * placed 3.4 -> 1.2 hops/byte, 7 kept". Only the first step of a job that came
 * out so is noted, so that a job of a thousand steps asks slurmctld a few
 * times; what somebody else wrote stays, and 200 letters are enough. What goes
 * wrong is not said. */
void job_comment_leave(const struct history_line *step);

#endif
