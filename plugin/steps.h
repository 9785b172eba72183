/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.h - the step as srun shows it */
#ifndef PLUGIN_STEPS_H
#define PLUGIN_STEPS_H

#include "plugin/options.h"

#include <slurm/spank.h>

/* Why topomap leaves the step alone, or NULL; empty when nobody need know. */
const char *steps_left_alone(spank_t spank,
                             const struct options *options,
                             const char *program);

/* Whether the step asks for GPUs, as far as srun lets see. */
bool steps_has_gpus(spank_t spank);

/* The file that will run: exe=, or without it the command as typed, which need
 * not be found when name= or a graph file tells what to do. *out owned. Errors:
 * ENOENT, ENOMEM. */
int steps_program(char **out,
                  spank_t spank,
                  const struct options *options,
                  struct mapcore_error *err);

#endif
