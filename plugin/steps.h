/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.h - what srun shows of the step that it is about to launch */
#ifndef PLUGIN_STEPS_H
#define PLUGIN_STEPS_H

#include "launch/options.h"

#include <slurm/spank.h>

/* What the options alone tell of a launch that cannot be mapped or recorded:
 * a file that is not there, no catalogue at all. Errors: ENOENT. */
int steps_check_options(const struct options *options,
                        const struct site *site,
                        struct mapcore_error *err);

/* Why topomap leaves the step alone, or NULL; empty when nobody needs to know.
 */
const char *steps_left_alone(spank_t spank, const struct options *options);

/* Whether the step asks for GPUs, as far as srun lets see. */
bool steps_has_gpus(spank_t spank);

/* The file that will run: exe (may be NULL), or the command as typed, looked up
 * in PATH. *out owned, absolute, links followed. Errors: ENOENT. */
int steps_program(char **out,
                  spank_t spank,
                  const char *exe,
                  struct mapcore_error *err);

#endif
