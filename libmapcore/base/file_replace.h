/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* file_replace.h - files written beside their name, which they take only when
 * they are whole and on the disk */
#ifndef BASE_FILE_REPLACE_H
#define BASE_FILE_REPLACE_H

#include "base/error_set.h"

#include <stdio.h>

/* Starts as all zero. */
struct file_replace {
    FILE *file; /* to write to */
    int folder; /* the one that holds path: AT_FDCWD, or a descriptor */
    char *path;
    char *beside; /* PATH.new-<pid>-<n>, until it is renamed */
};

/* Begins a new file with the given mode, less the umask. The file at
 * path stays until the commit; a symlink there is itself replaced. Errors: EIO,
 * naming path; ENOMEM. */
int file_replace_open(struct file_replace *out,
                      const char *path,
                      unsigned mode,
                      struct mapcore_error *err);
/* The same in a folder, a descriptor that stays open until the end. */
int file_replace_open_at(struct file_replace *out,
                         int folder,
                         const char *path,
                         unsigned mode,
                         struct mapcore_error *err);
/* Flushes, syncs, renames, syncs the folder. Ends out, also after an error; on
 * failure nothing is left behind. Errors: EIO, naming path. */
int file_replace_commit(struct file_replace *out, struct mapcore_error *err);
/* Takes the file away again and keeps errno; does nothing after a commit. */
void file_replace_abandon(struct file_replace *out);

/* Like fsync(), but what cannot be synced (a pipe, a folder on some file
 * systems) has nothing to sync. */
int file_sync(int fd);

#endif
