/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* line.h - a line on a task's stderr, and what may not end the task for it */
#ifndef COMMPROF_FRONT_LINE_H
#define COMMPROF_FRONT_LINE_H

#include <signal.h>
#include <stdbool.h>

/* A pipe without reader and a limit on file sizes come as signals that would
 * end the program: held back for this thread, and the new ones taken away. */
struct line_signals {
    sigset_t held, before, pending;
};
void line_hold_signals(struct line_signals *signals);
void line_release_signals(const struct line_signals *signals);

/* By one write(2), so that no other task's output comes between. line has
 * a place for one character more, the newline; what cannot be printed is
 * replaced there. */
void line_say(char *line);

/* Whether this task is the one to say what is true of all, or of those that run
 * the same program: the first, as its launcher has numbered it, or one that no
 * launcher has numbered. */
bool line_is_first_task(void);

#endif
