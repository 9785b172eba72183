/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* binder.h - what happens in a task before its program starts */
#ifndef PLUGIN_BINDER_H
#define PLUGIN_BINDER_H

#include <slurm/spank.h>

/* As the user, in slurmstepd's child: preloads the recorder or binds the task,
 * as srun said in the environment, and takes that out of it. Ends the task
 * (strict) or returns. */
void binder_run(spank_t spank);

#endif
