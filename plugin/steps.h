/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.h - what kind of step srun is about to launch, and whether it is one
 * whose ranks may move */
#ifndef PLUGIN_STEPS_H
#define PLUGIN_STEPS_H

#include "layout.h"
#include "options.h"

#include <slurm/spank.h>

/* Batch scripts, extern and interactive steps: nobody's ranks. */
bool steps_is_special(uint32_t step);

/* Why neither mapping nor recording makes sense here, or NULL. The empty text
 * of a site default stands for a step that uses GPUs. */
const char *steps_left_alone(spank_t spank, const struct options *options);

/* Why there is nothing to move, or NULL. */
const char *steps_nothing_to_move(const struct layout *layout);

/* Whether ranks may move under the step's MPI type: none, pmi2, pmix, and those
 * of the site's list. err says why not. */
bool steps_mpi_allows(const char *list, struct mapcore_error *err);

/* Whether the user said by masks, maps or `none` where tasks go. */
bool steps_bound_by_user(void);

/* Whether the step asks for GPUs, as far as srun lets see. */
bool steps_has_gpus(spank_t spank);

/* The file that will run: exe (may be NULL), or the command as typed, looked up
 * in PATH. *out owned, absolute, links followed. Errors: ENOENT. */
int steps_program(char **out,
                  spank_t spank,
                  const char *exe,
                  struct mapcore_error *err);

#endif
