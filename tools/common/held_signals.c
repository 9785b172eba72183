/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* held_signals.c - blocks what would end us, and looks what is pending. METIS
 * replaces the handler of SIGTERM while it runs, so that a handler of ours
 * could miss it; a blocked signal stays pending. */
#include "config.h"

#include "tools/common/held_signals.h"

#include <stddef.h>
#include <time.h>

static const int ending[] = {SIGINT, SIGTERM, SIGHUP};
enum {
    NENDING = sizeof(ending) / sizeof(*ending),
};

void held_signals_begin(struct held_signals *held)
{
    struct sigaction action;

    held->any = false;
    sigemptyset(&held->held);
    for (size_t i = 0; i < NENDING; i++)
        if (sigaction(ending[i], NULL, &action) == 0 &&
            action.sa_handler != SIG_IGN) {
            sigaddset(&held->held, ending[i]);
            held->any = true;
        }
    sigprocmask(SIG_BLOCK, &held->held, &held->before);
}

bool held_signals_came(const struct held_signals *held)
{
    sigset_t pending;

    if (!held->any || sigpending(&pending) < 0)
        return false;
    for (size_t i = 0; i < NENDING; i++)
        if (sigismember(&pending, ending[i]) == 1)
            return true;
    return false;
}

int held_signals_end(struct held_signals *held)
{
    const struct timespec at_once = {0};
    int signal = held->any ? sigtimedwait(&held->held, NULL, &at_once) : 0;

    sigprocmask(SIG_SETMASK, &held->before, NULL);
    return signal > 0 ? signal : 0;
}
