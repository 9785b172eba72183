/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner.h - what happens in srun between the allocation and the launch */
#ifndef PLUGIN_PLANNER_H
#define PLUGIN_PLANNER_H

#include "launch/options.h"

#include <slurm/spank.h>

/* Maps or records the step about to be launched, or says why not. Nothing that
 * fails here stops the launch (strict: the tasks end themselves). spill (owned,
 * NULL at first) is set to the file that had to be written for the tasks and
 * is to be removed when the step is over. */
void planner_run(spank_t spank,
                 const struct options *options,
                 const struct site *site,
                 char **spill);

#endif
