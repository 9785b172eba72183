/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* packed.h - what a packed profile is: a tar archive of one folder, named as
 * the version is, in which profile.json comes first */
#ifndef TOOLS_PACKED_H
#define TOOLS_PACKED_H

#include "profiles/profile.h"

#include <stdbool.h>

/* A file that a packed profile may hold; files being written are none. */
bool packed_is_file(const char *name);
#define PACKED_FIRST "profile.json"

/* Reads all files of a profile's folder by the readers that will read them:
 * each graph has the tasks that the profile says and is of one of its types,
 * ranks in the other files are below that. Errors: EPARSE, ERANGE, EVERSION,
 * ETRUST, EIO, ENOMEM, with file and line. */
int packed_check_folder(const char *folder, struct mapcore_error *err);

/* The version's name without Slurm's: `recorded` as seconds since 1970. Errors:
 * EPARSE. */
int packed_find_time(int64_t *out,
                     const struct profile *profile,
                     struct mapcore_error *err);

#endif
