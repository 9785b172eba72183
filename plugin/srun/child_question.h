/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child_question.h - what is asked of a process beside srun */
#ifndef PLUGIN_CHILD_QUESTION_H
#define PLUGIN_CHILD_QUESTION_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct child_question {
    const char *const *argv; /* argv[0]: absolute path; NULL with answer */
    /* In place of a program: a function that runs in a fork of srun, writes to
     * out, and returns 0 or a negative status with the sentence in err. */
    int (*answer)(FILE *out, const void *subject, struct mapcore_error *err);
    /* A line by which a program may ask back once, before it answers; NULL: it
     * does not. reply is what it is told then, owned; NULL: no memory. */
    const char *asks_back;
    char *(*reply)(const void *subject);
    const void *subject; /* of answer, or of reply */
    double seconds;      /* then it is killed */
    /* Behind its answer, or late, it goes on alone if it has left the group of
     * which it was made the leader; that group is killed, and srun waits for
     * neither. */
    bool stays;
    /* Where the answer ends in what was read so far, or 0; NULL: at EOF. */
    size_t (*complete)(const char *text, size_t n);
};

/* Inside an answer: what is asked for next, the path or "Slurm", so that srun
 * can name what kept it waiting. Anywhere else it does nothing. */
void child_asks(const char *name);

#endif
