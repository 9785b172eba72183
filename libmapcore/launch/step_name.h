/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* step_name.h - the name that a step's files have in a folder that several
 * clusters may share, each of which counts its jobs by itself */
#ifndef MAPCORE_LAUNCH_STEP_NAME_H
#define MAPCORE_LAUNCH_STEP_NAME_H

#include "base/buffer.h"

#include <stdint.h>

struct step_name {
    uint32_t job, step;
    const char *cluster; /* SLURM_CLUSTER_NAME, or NULL; borrowed */
};

/* Adds JOB.STEP-CLUSTER, or JOB.STEP without a cluster: of its name the first
 * 64 bytes, letters, digits and _ as they are, all else as %XX. Errors: ENOMEM.
 */
int step_name_add(struct buffer *out,
                  const struct step_name *name,
                  struct mapcore_error *err);

#endif
