/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* node_files.h - a folder of a step's, in which each node has left a file when
 * the step ended, to be read once and taken away */
#ifndef PROFILES_HISTORY_NODE_FILES_H
#define PROFILES_HISTORY_NODE_FILES_H

/* What a node has left: FOLDER/node-N, perhaps with something behind it. */
typedef void node_files_take(void *with, const char *path);

/* Hands each of them to take (NULL: to nobody) and removes it, and the folder
 * when it is empty. */
void node_files_empty(const char *folder, node_files_take *take, void *with);
/* Removes those folders of the user's in parent whose names begin so and that
 * nobody has touched for a week: of steps whose srun could not do it. */
void node_files_remove_old(const char *parent, const char *prefix);

#endif
