/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subprocess.h - other commands, Slurm's for most, asked without a shell */
#ifndef TOOLS_SUBPROCESS_H
#define TOOLS_SUBPROCESS_H

#include "topo/topo.h"

/* How long Slurm's commands may take when nobody waits for a launch. */
#define CHILD_SECONDS 30.0

/* Runs argv[0], found by PATH, with stdin and stderr on /dev/null, and returns
 * what it wrote to stdout, NUL-terminated, in *out (owned) and *n. It is
 * killed when it takes longer than seconds. Errors: EIO (cannot be run, ended
 * by a signal or with a status other than 0, too late, more than 64 MiB),
 * ENOMEM. */
int subprocess_read(char **out,
                    size_t *n,
                    char *const argv[],
                    double seconds,
                    struct mapcore_error *err);

/* The topology as `scontrol show topology` prints it: that of this name, of
 * which there may be several from Slurm 25.05 on, or (NULL) the cluster's
 * default. Errors: as subprocess_read and mapcore_topo_parse_slurm (ENOTSUP:
 * Slurm knows no switches). */
int subprocess_slurm_topology(struct mapcore_topo **out,
                              const char *name,
                              double seconds,
                              struct mapcore_error *err);

#endif
