/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_planner.h - srun's side of a launch: a plan, or a recording */
#ifndef PLUGIN_SRUN_PLANNER_H
#define PLUGIN_SRUN_PLANNER_H

#include "plugin/options.h"

#include <slurm/spank.h>

/* What a step leaves behind until it is over; each owned, NULL where there is
 * none. */
struct step_files {
    char *handoff; /* a file for the tasks, to be removed */
    char *ranks;   /* plugin/srun/rank_list.h, to be removed */
    char *spool;   /* the folder of a recording, to be collected */
};

/* srun, between the allocation and the launch: maps or records the step, or
 * says why not. Nothing that fails here stops the launch (strict: the tasks end
 * themselves; dry run: they end at once). files is filled as it goes. */
void srun_planner_run(spank_t spank,
                      const struct options *options,
                      const struct plugstack *plugstack,
                      struct step_files *files);

#endif
