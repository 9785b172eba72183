/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* catalogue_walk.h - folders of a catalogue by descriptors: what is removed is
 * what was looked at, even if others rename or link meanwhile */
#ifndef PROFILES_CATALOGUE_WALK_H
#define PROFILES_CATALOGUE_WALK_H

#include "base/error_set.h"

#include <stdbool.h>

/* The open folders of ROOT/<program>/<identity>/<ntasks>. */
struct catalogue_walk {
    char *path; /* ROOT/<program>/<identity>/<ntasks>; owned */
    int fd[4]; /* of the root, the program, the identity, the number of tasks */
    const char *name[4]; /* of the last three and of the version, in names */
    char *names;
};

/* Opens those above a version, whose own path it gets; the root may be a
 * symlink, those below may not. Errors: EIO, EINVAL (too short a path), ENOMEM.
 */
int catalogue_walk_open(struct catalogue_walk *out,
                        const char *version,
                        struct mapcore_error *err);
/* Closes them, after it has removed those that are empty, from the last one
 * upwards but for the root; keeps errno. */
void catalogue_walk_close(struct catalogue_walk *walk, bool remove_empty);

/* A folder below another, which must be one and no symlink; -1 and errno. */
int catalogue_open_below(int folder, const char *name);

/* Whether a version may have a file of that name. */
bool catalogue_is_file(const char *name);
/* Removes a new version that was begun, open as fd: `name` in the folder
 * parent; path for messages. Takes nothing away from a folder that holds what
 * no version has. */
bool catalogue_erase(int parent, const char *name, int fd, const char *path);

#endif
