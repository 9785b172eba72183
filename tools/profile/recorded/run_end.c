/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run_end.c - how tasks ended: by an error of their own, or by a signal
 * from outside */
#include "config.h"

#include "tools/profile/recorded/run_end.h"

#include "launch/kept.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum severity { WELL, ENDED_BY_OTHERS, FAILED, CRASHED, ABORTED };

/* Shells say 128 and its number of a signal that ended what they ran. */
static int find_signal(uint32_t ended)
{
    const int status = (int)(ended & 0xffff);

    if (WIFSIGNALED(status))
        return WTERMSIG(status);
    return WEXITSTATUS(status) > 128 ? WEXITSTATUS(status) - 128 : 0;
}

static enum severity judge(uint32_t ended)
{
    static const int errors[] = {SIGABRT, SIGBUS,  SIGFPE, SIGILL,
                                 SIGSEGV, SIGTRAP, SIGSYS};
    const int number = find_signal(ended);

    if (ended & KEPT_ABORTED)
        return ABORTED;
    for (size_t i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
        if (number == errors[i])
            return CRASHED;
    if ((ended & 0xffff) == 0)
        return WELL;
    return number > 0 ? ENDED_BY_OTHERS : FAILED;
}

uint32_t run_end_worse(uint32_t one, uint32_t other)
{
    const enum severity x = judge(one), y = judge(other);
    const uint32_t alone = (one | other) & KEPT_ALONE;

    /* By number, since files are read in any order. */
    return ((x > y || (x == y && one < other)) ? one : other) | alone;
}

bool run_end_is_partial(char *out,
                        size_t size,
                        uint32_t ended,
                        bool is_finalized,
                        double seconds)
{
    const enum severity severity = judge(ended);
    const int number = find_signal(ended);

    if (severity == WELL || ((severity < CRASHED || is_finalized) &&
                             !(seconds >= 0 && seconds < RUN_END_SECONDS)))
        return false;
    if (severity == ABORTED)
        snprintf(out, size, "ended by MPI_Abort");
    else if (severity == CRASHED)
        snprintf(out, size, "ended by signal %d, %s", number,
                 strsignal(number));
    else if (number > 0)
        snprintf(out, size, "ended after %.0f s by signal %d, %s", seconds,
                 number, strsignal(number));
    else
        snprintf(out, size, "failed after %.0f s with status %d", seconds,
                 WEXITSTATUS((int)(ended & 0xffff)));
    return true;
}
