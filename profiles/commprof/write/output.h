/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* output.h - new files of a profile */
#ifndef COMMPROF_OUTPUT_H
#define COMMPROF_OUTPUT_H

#include "base/error.h"

#include <stdio.h>

/* A new file, writable by its owner alone even when the umask is 0. NULL and
 * err (EIO) on failure. */
FILE *output_create(const char *path, struct mapcore_error *err);
/* Closes it. Errors: EIO, also for what failed before. */
int output_finish(FILE *file, const char *path, struct mapcore_error *err);
/* A number and what comes after it: most of a profile is numbers. */
void output_number(FILE *file, uint64_t number, char after);

#endif
