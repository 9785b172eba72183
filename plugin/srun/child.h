/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child.h - a question that may never be answered, asked from inside srun: of
 * the `topomap` program, of Slurm, or of whatever storage a path leads to */
#ifndef PLUGIN_CHILD_H
#define PLUGIN_CHILD_H

#include "base/error.h"
#include "plugin/srun/child_question.h"

#include <stddef.h>

/* Seconds since some moment in the past, never turned back. */
double child_clock(void);

/* One that has been asked; what srun does meanwhile it need not wait for. */
struct child;

/* Asks; each child that was begun is to be finished or dropped. Errors: ENOENT
 * (there can be no more processes), EIO (a signal came), ENOMEM. */
int child_begin(struct child **out,
                const struct child_question *question,
                struct mapcore_error *err);

/* Hands over input (may be NULL: nothing), waits for the answer, and releases
 * child. *out (owned, NUL-terminated) is all that it printed on stdout. A
 * signal that would end srun (INT, TERM, HUP, QUIT) kills the child, makes this
 * fail, and comes again by itself a moment later, when srun heeds it. Errors:
 * ENOENT (the program cannot be executed), EIO (late, which names what was
 * asked last, killed, too long an answer, or a status that is not 0: then err
 * is the first line of its stderr), ENOMEM. */
int child_finish(char **out,
                 size_t *n,
                 struct child *child,
                 const char *input,
                 struct mapcore_error *err);

/* The same without waiting: it is killed. */
void child_drop(struct child *child);

/* Both at once. */
int child_ask(char **out,
              size_t *n,
              const struct child_question *question,
              const char *input,
              struct mapcore_error *err);

#endif
