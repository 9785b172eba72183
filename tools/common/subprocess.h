/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subprocess.h - other commands, Slurm's for most, asked without a shell */
#ifndef TOOLS_SUBPROCESS_H
#define TOOLS_SUBPROCESS_H

#include "base/error.h"

/* How long Slurm's commands may take when no launch waits. */
#define CHILD_SECONDS 30.0

/* Runs argv[0], found by PATH, with stdin and stderr on /dev/null, and returns
 * what it wrote to stdout, NUL-terminated, in *out (owned) and *n. It is
 * killed when it takes longer than seconds. Errors: EIO (cannot be run, ended
 * by a signal or with a status other than 0, too late, more than 64 MiB),
 * ENOMEM. */
int subprocess_read(char **out,
                    size_t *n,
                    const char *const *argv,
                    double seconds,
                    struct mapcore_error *err);

#endif
