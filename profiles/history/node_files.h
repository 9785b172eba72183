/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_files.h - a folder of a step's, in which each node has left a file when
 * the step ended, to be read once and taken away */
#ifndef PROFILES_HISTORY_NODE_FILES_H
#define PROFILES_HISTORY_NODE_FILES_H

#include "base/own_folder.h"

/* What a node has left: node-N in folder, perhaps with something behind it. */
typedef void node_files_take(void *with,
                             const struct own_folder *folder,
                             const char *name);

/* Hands each file of the folder `name` in above to take (NULL: to none) and
 * removes it, and the folder when it is empty. Errors: ENOENT, ETRUST (it is
 * not the user's alone), EIO, ENOMEM. */
int node_files_empty(const struct own_folder *above,
                     const char *name,
                     node_files_take *take,
                     void *with,
                     struct mapcore_error *err);
/* Removes those folders of the user's in above whose names begin so and that
 * have not changed for a week: of steps whose srun could not do it. Some
 * dozens at a time. */
void node_files_remove_old(const struct own_folder *above, const char *prefix);

#endif
