/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.h - the step as srun shows it */
#ifndef PLUGIN_STEPS_H
#define PLUGIN_STEPS_H

#include "plugin/srun/lookup.h"

#include <slurm/spank.h>

/* Why topomap leaves the step alone, or NULL; empty when nobody need know. */
const char *steps_left_alone(spank_t spank,
                             const struct options *options,
                             const char *program);

/* Whether srun will hand the step over and end, without asking anybody
 * (--async, Slurm 26.05). To be asked before the allocation. */
bool steps_is_async(void);

/* Whether the step asks for GPUs, as far as srun lets see. */
bool steps_has_gpus(spank_t spank);

/* How many words the command has as typed; *out is owned, its words but for the
 * first are srun's. 0 with exe=, and for more than most words, where the
 * program alone is looked up. */
int steps_command(char ***out,
                  spank_t spank,
                  const struct options *options,
                  int most);

/* Whether srun itself starts the tasks in a container. */
bool steps_has_container(spank_t spank);

/* The files of the step, within so many seconds. Its program is exe=, or
 * without it the command as typed, which need not be found when name= or a
 * graph file tells what to do. lookup_clear *out. Errors: as lookup_launch. */
int steps_look_up(struct lookup *out,
                  spank_t spank,
                  const struct options *options,
                  double seconds,
                  struct mapcore_error *err);

#endif
