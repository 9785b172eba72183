/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child_start.h - a process beside srun, and the ends of what connects them */
#ifndef PLUGIN_CHILD_START_H
#define PLUGIN_CHILD_START_H

#include "base/error.h"
#include "plugin/srun/child_question.h"

#include <sys/types.h>

/* What is kept of its stderr, of which the first line is for the user. */
#define CHILD_STDERR_MOST 4096
/* So its stderr begins where the program could not be executed; then errno. */
#define CHILD_REFUSED '\1'

struct child_process {
    pid_t pid;
    int answer;      /* a socket: its stdin and stdout; does not block */
    int stderr_file; /* a file in memory: its stderr */
};

/* Starts the program or the function of question, in a process group of its
 * own. The two descriptors are the caller's to close, also after an error, -1
 * where there is none. Errors: ENOENT, which says why. */
int child_start(struct child_process *child,
                const struct child_question *question,
                struct mapcore_error *err);

#endif
