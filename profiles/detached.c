/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* detached.c - leaving session, streams and parent behind */
#include "config.h"

#include "profiles/detached.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

void detached_let_go(void)
{
    int null = open("/dev/null", O_RDWR);

    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        dup2(null, fd);
    if (null > STDERR_FILENO)
        close(null);
}

pid_t detached_fork(unsigned seconds)
{
    pid_t child = fork();

    if (child != 0)
        return child;
    setsid();
    prctl(PR_SET_PDEATHSIG, 0);
    detached_let_go();
    alarm(seconds);
    return 0;
}
