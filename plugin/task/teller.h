/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* teller.h - the CPUs that the tasks of a node begin with, for the history
 * of their step (launch/told_cpus.h) */
#ifndef PLUGIN_TASK_TELLER_H
#define PLUGIN_TASK_TELLER_H

#include <slurm/spank.h>

#include <stdint.h>

/* Before the tasks of a step are forked: makes memory for what they tell, if
 * srun has named a folder. Nothing is written before they have ended. */
void teller_open(spank_t spank);
/* In a task, the local one of that number, when it is bound. */
void teller_tell(uint32_t local, uint32_t rank);
/* A task has ended. After the last one what they told is written, as the user,
 * by a fork that is not waited for long. */
void teller_task_ended(void);
/* The step ends, whether or not all tasks have been seen to. */
void teller_close(void);

#endif
