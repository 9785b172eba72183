/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* keeper.h - slurmstepd keeps what its recorded tasks count, so that it is not
 * lost however they end */
#ifndef PLUGIN_TASK_KEEPER_H
#define PLUGIN_TASK_KEEPER_H

#include <slurm/spank.h>

#include <stdbool.h>
#include <stdint.h>

/* Before the tasks of a step are forked: makes memory for them, if srun has
 * asked for it. Without, they record all the same. */
void keeper_open(spank_t spank);
/* In a task (the local one of that number), before its program: the recorder is
 * told where its memory is. */
void keeper_give(spank_t spank, int local);
/* A task has ended. After the last one, what was not handed over to a profile
 * is written into the spool that srun has made, as the user, by a fork that is
 * left behind when storage does not answer. */
void keeper_task_ended(spank_t spank);
/* The step ends, whether or not all tasks have been seen to. */
void keeper_close(void);

#endif
