/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_planner.h - srun's side of a launch: a plan, or a recording */
#ifndef PLUGIN_SRUN_PLANNER_H
#define PLUGIN_SRUN_PLANNER_H

#include "plugin/options.h"

#include <slurm/spank.h>

/* srun, between the allocation and the launch: maps or records the step, or
 * says why not. Nothing that fails here stops the launch (strict: the tasks end
 * themselves). handoff_file (owned, NULL at first) is set to a file for the
 * tasks that is to be removed when the step is over, and spool (owned) to the
 * folder that is to be collected then. */
void srun_planner_run(spank_t spank,
                      const struct options *options,
                      const struct plugstack *plugstack,
                      char **handoff_file,
                      char **spool);

#endif
