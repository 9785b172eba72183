/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* history_write.h - a line of the history to wherever it is kept, without
 * anybody waiting for storage that does not answer */
#ifndef PROFILES_HISTORY_WRITE_H
#define PROFILES_HISTORY_WRITE_H

#include "profiles/history/history_line.h"

struct history_evaluation;

/* Storage that has not taken a line by then is not to be waited for. */
enum { HISTORY_ALONE_S = 30 };

struct history_writing {
    const struct history_line *line;
    const char
        *map; /* text of where the ranks are, or NULL; line->map names it */
    const char
        *log; /* an absolute path, else syslog; or NULL: the user's own alone */
    /* What the launch was decided by, to be kept; or NULL. */
    const struct history_evaluation *evaluation;
    bool asks_cpus; /* of a launch with a map: which its ranks have is kept */
    bool is_alone;  /* no other process waits for this one */
};

/* Sets time and, where it is 0, at_s to now, and user. Errors: ENOMEM. */
int history_line_stamp(struct history_line *line, struct mapcore_error *err);

/* Writes in a process of its own, where this one is not alone, for which this
 * one waits at most these seconds: it goes on alone then, for half a minute.
 * What cannot be written is lost without a message: it is no part of a
 * launch. */
void history_write(const struct history_writing *writing, double seconds);
/* The same in this process, which is such a one already. */
void history_write_here(const struct history_writing *writing);

#endif
