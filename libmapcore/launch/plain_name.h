/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plain_name.h - the names of files: those that users choose, which become
 * folders of the catalogue and words on command lines, and those of steps */
#ifndef MAPCORE_LAUNCH_PLAIN_NAME_H
#define MAPCORE_LAUNCH_PLAIN_NAME_H

#include "base/buffer.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The longest name that name= takes, and the longest of a graph. */
#define PLAIN_NAME_MOST 64

/* One of A-Z a-z 0-9 . _ + -, in every locale. */
bool plain_name_has(char byte);

/* 1 to most of those bytes, and no dot in front. */
bool plain_name_check(const char *name, size_t most);

struct step_name {
    uint32_t job, step;
    const char *cluster; /* SLURM_CLUSTER_NAME, or NULL; borrowed */
};

/* Adds JOB.STEP-CLUSTER, or JOB.STEP without a cluster: of its name the first
 * 64 bytes, letters, digits and _ as they are, all else as %XX. Errors: ENOMEM.
 */
int step_name_add(struct buffer *out, const struct step_name *name);

#endif
