/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trial.h - one run of a command, and all that it and its tasks print */
#ifndef TOOLS_TRIAL_H
#define TOOLS_TRIAL_H

#include "base/buffer.h"

#include <stdbool.h>

/* Starts as all zero; ended by trial_clear. */
struct command_trial {
    struct buffer out, said; /* stdout, stderr */
    int status;              /* of waitpid() */
};

/* Runs words[0], found by PATH, with nothing on stdin, until it ends, or for
 * that many seconds (0: it ends by itself: tasks have an alarm, jobs a time
 * limit), after which it is killed. That it waits for nodes is shown on stderr.
 * Errors: EIO (cannot be run; too late, which is said; more than 1 MiB),
 * ENOMEM. */
int trial_run(struct command_trial *out,
              double seconds,
              char *const words[],
              struct mapcore_error *err);
/* The same of the words from command on, at most 30, up to a NULL. */
int trial_words(struct command_trial *out,
                double seconds,
                struct mapcore_error *err,
                const char *command,
                ...) __attribute__((sentinel));
/* Whether it ended by itself with status 0. */
bool trial_is_good(const struct command_trial *run);
/* The last line that was said, or printed where nothing was said, without its
 * end, nor `topomap: ' in front; "" for none. Borrowed; *n: its bytes. */
const char *trial_last_line(size_t *n, const struct command_trial *run);
void trial_clear(struct command_trial *run);

#endif
