/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child.h - a question that may never be answered, asked from inside srun: of
 * the `topomap` program, of Slurm, or of whatever storage a path leads to */
#ifndef PLUGIN_CHILD_H
#define PLUGIN_CHILD_H

#include "plugin/srun/child_start.h"

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
