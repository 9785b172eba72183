/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trial.h - one run of a command, and all that it and its tasks print */
#ifndef TOOLS_TRIAL_H
#define TOOLS_TRIAL_H

#include "base/process.h"

/* Runs words[0], found by PATH, with nothing on stdin, until it ends, or for
 * that many seconds (0: it ends by itself: tasks have an alarm, jobs a time
 * limit), after which it is killed. That it waits for nodes is shown on stderr.
 * Errors: EIO (cannot be run; too late, which is said; more than 1 MiB),
 * ENOMEM. */
int trial_run(struct process_output *out,
              double seconds,
              char *const words[],
              struct mapcore_error *err);
/* The same of the words from command on, at most 30, up to a NULL. */
int trial_words(struct process_output *out,
                double seconds,
                struct mapcore_error *err,
                const char *command,
                ...) __attribute__((sentinel));
/* Whether it ended by itself with status 0. */
bool trial_is_good(const struct process_output *run);
/* The last line that was said, or printed where nothing was said, without its
 * end, nor `topomap: ' in front; "" for none. Borrowed; *n: its bytes. */
const char *trial_last_line(size_t *n, const struct process_output *run);

#endif
