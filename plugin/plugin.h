/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plugin.h - the plugin's two sides, and what they ask of srun */
#ifndef PLUGIN_PLUGIN_H
#define PLUGIN_PLUGIN_H

#include "plugin/options.h"

#include <slurm/spank.h>

/* One line on the user's standard error, in srun or a task. */
void plugin_say(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* srun, between the allocation and the launch: maps or records the step, or
 * says why not. Nothing that fails here stops the launch (strict: the tasks end
 * themselves). spill (owned, NULL at first) is set to a file for the tasks that
 * is to be removed when the step is over. */
void planner_run(spank_t spank,
                 const struct options *options,
                 const struct site *site,
                 char **spill);

/* A task, as the user, before its program starts: preloads the recorder or
 * binds, as srun said in the environment, and takes that out of it. Ends the
 * task (strict) or returns. */
void binder_run(spank_t spank);

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

/* The lines that `scontrol show topology` prints, owned; NULL when Slurm has
 * none or does not answer within that time. */
char *topology_text(double seconds);

#endif
