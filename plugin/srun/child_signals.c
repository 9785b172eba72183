/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* child_signals.c - the signals that would end srun, while a child is out */
#include "config.h"

#include "plugin/srun/child_signals.h"

#include <signal.h>
#include <time.h>

/* srun forgets a signal that arrives during this hook; after half a second it
 * has left it. */
#define REPLAY_NS 500000000L

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
#define NSIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

/* The last signal that arrived while we waited, 0: none. It ends srun. */
static volatile sig_atomic_t topomap_caught;
/* How many children are out, and what srun had for its signals before them. */
static unsigned topomap_watching;
static struct sigaction topomap_old[NSIGNALS];
static sigset_t topomap_mask;

static void note_signal(int number)
{
    topomap_caught = number;
}

void child_signals_watch(void)
{
    struct sigaction action = {.sa_handler = note_signal};
    sigset_t ours;

    if (topomap_watching++ > 0)
        return;
    sigemptyset(&action.sa_mask);
    sigemptyset(&ours);
    for (size_t i = 0; i < NSIGNALS; i++) {
        sigaction(ending_signals[i], NULL, &topomap_old[i]);
        /* nohup: what is ignored stays ignored. */
        if (topomap_old[i].sa_handler == SIG_IGN)
            continue;
        sigaction(ending_signals[i], &action, NULL);
        sigaddset(&ours, ending_signals[i]);
    }
    pthread_sigmask(SIG_UNBLOCK, &ours, &topomap_mask);
}

/* The timer lives as long as srun, which is to end by it. The first Ctrl-C only
 * makes srun report, one more within a second ends the job. */
static void replay_signal(int number)
{
    struct sigevent event = {
        .sigev_notify = SIGEV_SIGNAL,
        .sigev_signo = number,
    };
    struct itimerspec when = {
        .it_value = {.tv_nsec = REPLAY_NS},
        .it_interval = {.tv_nsec = REPLAY_NS},
    };
    timer_t timer;

    if (timer_create(CLOCK_MONOTONIC, &event, &timer) == 0)
        timer_settime(timer, 0, &when, NULL);
}

void child_signals_leave(void)
{
    if (--topomap_watching > 0)
        return;
    pthread_sigmask(SIG_SETMASK, &topomap_mask, NULL);
    for (size_t i = 0; i < NSIGNALS; i++)
        sigaction(ending_signals[i], &topomap_old[i], NULL);
    if (topomap_caught)
        replay_signal(topomap_caught);
}

int child_signal(void)
{
    return topomap_caught;
}
