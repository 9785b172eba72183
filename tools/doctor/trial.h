/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* trial.h - one run of a command, and all that it and its tasks print */
#ifndef TOOLS_TRIAL_H
#define TOOLS_TRIAL_H

#include "base/buffer.h"

/* Starts as all zero; ended by trial_clear. */
struct command_trial {
    struct buffer out, said; /* stdout, stderr */
    int status;              /* of waitpid() */
};

/* Runs words[0], found by PATH, until it ends, which it does by itself: its
 * tasks have an alarm, its job has a time limit. That it waits for nodes is
 * shown on stderr. Errors: EIO (cannot be run; more than 1 MiB), ENOMEM. */
int trial_run(struct command_trial *out,
              char *const words[],
              struct mapcore_error *err);
void trial_clear(struct command_trial *run);

#endif
