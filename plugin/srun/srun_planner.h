/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_planner.h - srun's side of a launch: a plan, or a recording */
#ifndef PLUGIN_SRUN_PLANNER_H
#define PLUGIN_SRUN_PLANNER_H

#include "plugin/options.h"
#include "plugin/srun/srun_launch.h"

#include <slurm/spank.h>

/* srun, between the allocation and the launch: maps or records the step, or
 * says why not. Nothing that fails here stops the launch (strict: the tasks end
 * themselves; dry run: they end at once). files is filled as it goes. */
void srun_planner_run(spank_t spank,
                      const struct options *options,
                      const struct plugstack *plugstack,
                      struct step_files *files);

#endif
