/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shared_file.h - whether everybody may use a file that was installed, and only
 * root may change it */
#ifndef TOOLS_SHARED_FILE_H
#define TOOLS_SHARED_FILE_H

#include "base/error_set.h"

#include <stdbool.h>

/* A regular file that all may read (and run), through folders that let all
 * pass. Errors: ENOENT, EIO, EINVAL, naming file or folder and what is missing.
 */
int shared_file_check_use(const char *path,
                          bool runs,
                          struct mapcore_error *err);
/* Neither the file nor a folder above it can be changed by others than root:
 * a folder where all may write must be sticky. Errors: ETRUST, naming it;
 * ENOENT, EIO. */
int shared_file_check_trust(const char *path, struct mapcore_error *err);

#endif
