/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* launcher_run.h - starts a launcher: in our place, or as a child whose files
 * go when it ends */
#ifndef TOOLS_LAUNCHER_RUN_H
#define TOOLS_LAUNCHER_RUN_H

#include "base/error_set.h"

#include <stdbool.h>

/* A folder that only the user may look into, and a file in it. */
struct launcher_files {
    char *folder, *path; /* owned; NULL: none */
};
/* Makes the folder: below shared, or, where that is NULL, below TMPDIR;
 * no_dash: below /tmp where TMPDIR has a '-', with which Open MPI 5.0 takes no
 * path in a qualifier. Errors: EIO, ENOMEM. */
int launcher_files_make(struct launcher_files *out,
                        const char *shared,
                        const char *name,
                        bool no_dash,
                        struct mapcore_error *err);
/* Writes the file. Errors: EIO. */
int launcher_files_write(const struct launcher_files *files,
                         const char *text,
                         struct mapcore_error *err);
/* Takes both away. */
void launcher_files_remove(struct launcher_files *files);

/* As of a shell. */
enum {
    LAUNCHER_CANNOT_RUN = 126,
    LAUNCHER_NOT_FOUND = 127,
};

/* exec: returns only when that fails, with the status of a shell for a command
 * that cannot be run, 127 or 126; says why. */
int launcher_exec(char *const *argv);

/* Starts argv and waits; signals that are sent to us alone go on to it (those
 * of a terminal it gets itself). Then the files go, and what waitpid() says of
 * it is returned. When we are killed, it is sent TERM. */
int launcher_wait(char *const *argv, struct launcher_files *files);
/* The status of a launcher that ended so; or we end by the signal that ended
 * it. */
int launcher_end_as(int status);

#endif
