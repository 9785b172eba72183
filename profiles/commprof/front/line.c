/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* line.c - writes to what may be a pipe without reader, in a program that is
 * not ours */
#include "config.h"

#include "commprof/front/line.h"

#include "base/printable.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void line_hold_signals(struct line_signals *signals)
{
    sigemptyset(&signals->held);
    sigaddset(&signals->held, SIGPIPE);
    sigaddset(&signals->held, SIGXFSZ);
    sigpending(&signals->pending);
    pthread_sigmask(SIG_BLOCK, &signals->held, &signals->before);
}

void line_release_signals(const struct line_signals *signals)
{
    const struct timespec now = {0};
    static const int numbers[] = {SIGPIPE, SIGXFSZ};

    for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
        sigset_t one;
        sigemptyset(&one);
        sigaddset(&one, numbers[i]);
        if (!sigismember(&signals->pending, numbers[i]))
            while (sigtimedwait(&one, NULL, &now) == numbers[i])
                ;
    }
    pthread_sigmask(SIG_SETMASK, &signals->before, NULL);
}

void line_say(char *line)
{
    struct line_signals signals;
    size_t size;

    printable_clean(line);
    size = strlen(line);
    line[size++] = '\n';
    line_hold_signals(&signals);
    if (write(STDERR_FILENO, line, size) < 0)
        size = 0; /* no reader is left */
    line_release_signals(&signals);
}

bool line_is_first_task(void)
{
    static const char *const names[] = {"SLURM_PROCID", "PMIX_RANK", "PMI_RANK",
                                        "OMPI_COMM_WORLD_RANK"};

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const char *rank = getenv(names[i]);
        if (rank)
            return strcmp(rank, "0") == 0;
    }
    return true;
}
