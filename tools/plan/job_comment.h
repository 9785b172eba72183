/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* job_comment.h - what became of a job's steps, in the job's comment, where
 * squeue and sacct show it */
#ifndef TOOLS_PLAN_JOB_COMMENT_H
#define TOOLS_PLAN_JOB_COMMENT_H

#include "profiles/history/history_line.h"

/* Tells slurmctld of a step, from a process of its own that nobody waits for:
 * when it is launched, since the job of an srun without one is over with it.
 * The comment gets what came out behind what it says: "topomap: 0 placed 3.4 ->
 * 1.2 links/byte, 7 kept". Only the first step of a job that came out so is
 * told, so that a job of a thousand steps asks slurmctld a few times; what
 * somebody else wrote stays, and 200 letters are enough. What goes wrong is not
 * said. */
void job_comment_leave(const struct history_line *step);

#endif
