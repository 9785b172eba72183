/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* descriptor.c - a standard error that was closed: srun's next socket has its
 * number then, and Slurm's log waits five seconds for that before it drops a
 * line */
#include "config.h"

#include "descriptor.h"

#include <fcntl.h>
#include <sys/socket.h>

bool descriptor_takes_text(int fd)
{
    int flags = fcntl(fd, F_GETFL), listens = 0;
    socklen_t n = sizeof(listens);

    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY)
        return false;
    return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &listens, &n) < 0 ||
           !listens;
}
