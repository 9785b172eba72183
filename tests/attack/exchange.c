/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.c - what two names stand for changes places until this is killed, or
 * its parent ends: exchange A B */
#include "config.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <time.h>

int main(int argc, char **argv)
{
    const struct timespec moment = {0, 100000};

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    while (argc == 3) {
        if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, argv[2], RENAME_EXCHANGE) <
            0)
            return 1;
        nanosleep(&moment, NULL);
    }
    return 99;
}
