/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child.h - a question that may never be answered, asked from inside srun: of
 * the `topomap` program, of Slurm, or of whatever storage a path leads to */
#ifndef PLUGIN_CHILD_H
#define PLUGIN_CHILD_H

#include "base/error.h"

#include <stdio.h>

struct child_question {
    const char *const *argv; /* argv[0]: absolute path; NULL with answer */
    /* In place of a program: a function that runs in a fork of srun, writes to
     * out, and returns 0 or a negative status with the sentence in err. */
    int (*answer)(FILE *out, const void *subject, struct mapcore_error *err);
    const void *subject;
    const char *input; /* for its stdin, may be NULL */
    size_t ninput;
    double seconds; /* then it is killed */
    /* Where the answer ends in what was read so far, or 0; NULL: at EOF. */
    size_t (*complete)(const char *text, size_t n);
};

/* Seconds since some moment in the past, never turned back. */
double child_clock(void);

/* Inside an answer: what is asked for next, the path or "Slurm", so that srun
 * can name what kept it waiting. Anywhere else it does nothing. */
void child_asks(const char *name);

/* *out (owned, NUL-terminated) is all that it printed on stdout. A signal that
 * would end srun (INT, TERM, HUP, QUIT) kills the child, makes this fail, and
 * comes again by itself a moment later, when srun heeds it. Errors: ENOENT
 * (cannot be started), EIO (late, which names what was asked last, killed, too
 * long an answer, or a status that is not 0: then err is the first line of its
 * stderr), ENOMEM. */
int child_ask(char **out,
              size_t *n,
              const struct child_question *question,
              struct mapcore_error *err);

/* The signal that came during a question, or 0. No more are asked then. */
int child_signal(void);

#endif
