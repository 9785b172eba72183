/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* program_path.h - the file that the name of a command stands for */
#ifndef MAPCORE_LAUNCH_PROGRAM_PATH_H
#define MAPCORE_LAUNCH_PROGRAM_PATH_H

#include "base/error.h"

#include <stdbool.h>

/* With a slash, or when path is NULL, name is a path. Otherwise it is the first
 * executable regular file of that name in path (the value of PATH; an empty
 * member is the current folder), else a file of the current folder, executable
 * or not: srun takes one, and the file of --multi-prog is named so. *out owned,
 * absolute, links followed, as /proc/self/exe will show it to the recorder.
 * Errors: ENOENT, also when memory is short. */
int program_path_find(char **out,
                      const char *name,
                      const char *path,
                      struct mapcore_error *err);
/* Whether there is a regular file, perhaps behind links. */
bool program_path_is_file(const char *path);

#endif
