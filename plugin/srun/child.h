/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child.h - a question that may never be answered, asked from inside srun: of
 * the `topomap` program, of Slurm, or of the storage that a path leads to */
#ifndef PLUGIN_CHILD_H
#define PLUGIN_CHILD_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

struct child_question {
    const char *const *argv; /* argv[0]: absolute path; NULL with answer */
    /* In place of a program: a function that runs in a fork of srun, writes to
     * out, and returns 0 or a negative status with the sentence in err. */
    int (*answer)(FILE *out, const void *subject, struct mapcore_error *err);
    const char *input; /* NULL: nothing */
    /* A line by which a program may ask back once, before it answers; NULL: it
     * does not. reply is the answer, owned; NULL: no memory. */
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

/* Seconds since some moment in the past, never turned back. */
double child_clock(void);

/* Asks, hands over the input, and waits for the answer. *out (owned,
 * NUL-terminated) is all that it printed on stdout, *n bytes. A signal that
 * would end srun (INT, TERM, HUP, QUIT) kills the child, makes this fail, and
 * comes again by itself a moment later, when srun heeds it. Errors: ENOENT (no
 * process can be started, or the program not be executed), EIO (late, which
 * names what was asked last, killed, too long an answer, or a status that is
 * not 0: then err is the first line of its stderr), ENOMEM. */
int child_ask(char **out,
              size_t *n,
              const struct child_question *question,
              struct mapcore_error *err);

/* The signal that came while a child was out, or 0. */
int child_signal(void);

#endif
