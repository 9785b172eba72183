/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* spool_folder.h - CATALOGUE/.spool-UID/NAME-N, where the tasks of one step
 * leave what they have counted */
#ifndef MAPCORE_LAUNCH_SPOOL_FOLDER_H
#define MAPCORE_LAUNCH_SPOOL_FOLDER_H

#include "base/own_folder.h"

#define SPOOL_FOLDER ".spool-" /* UID */

/* Opens CATALOGUE/.spool-UID, which must be the user's alone. root is judged by
 * rule before. Errors: ENOENT, ETRUST, EIO, ENOMEM. */
int spool_folder_open(struct own_folder **out,
                      const char *root,
                      enum own_folder_rule rule,
                      struct mapcore_error *err);
/* Makes NAME-N in it, and it where it is missing, in a root that is there.
 * Errors: the same. */
int spool_folder_make(struct own_folder **out,
                      const char *root,
                      const char *name,
                      struct mapcore_error *err);
/* Removes that of this path where it is empty. */
bool spool_folder_remove(const char *path);

#endif
