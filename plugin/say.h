/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* say.h - what topomap tells the user */
#ifndef PLUGIN_SAY_H
#define PLUGIN_SAY_H

#include "launch/user_messages.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>

/* Whether text that is written to fd may reach somebody: it is open for
 * writing, and no socket that listens. Of a standard error that was closed
 * srun's next socket has the number, and Slurm's log waits five seconds for
 * that before it drops a line. */
static inline bool say_takes_text(int fd)
{
    int flags = fcntl(fd, F_GETFL), listens = 0;
    socklen_t n = sizeof(listens);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY &&
           (getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) < 0 ||
            !listens);
}

/* One line on standard error: "topomap: placed: ...". Nothing, and at once, in
 * an srun whose standard error is closed. */
void say_user(enum outcome outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The same under srun -v alone: the site's faults, for users who did not ask
 * for topomap. */
void say_verbose(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as an error of srun's, which is about to end. */
void say_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
