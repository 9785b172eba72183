/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binder.h - a task's side of a launch: what srun has sent is done */
#ifndef PLUGIN_BINDER_H
#define PLUGIN_BINDER_H

#include <slurm/spank.h>

/* slurmstepd, before the tasks of a step are forked: room for what they work
 * out together and report, and what srun has sent to all of them alike. */
void binder_open(spank_t spank);

/* A task, as the user, before its program starts: preloads the recorder or
 * binds, as srun said in the environment, and takes that out of it. Ends the
 * task (strict) or returns. */
void binder_run(spank_t spank);

#endif
