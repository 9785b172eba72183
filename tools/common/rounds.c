/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rounds.c - the time left is that of the rounds before, for those to come */
#include "config.h"

#include "tools/common/rounds.h"

#include "tools/common/tool.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Shown from the second on, five times a second, as a search is. */
static const double SHOWN_AFTER = 1.0, SHOWN_EVERY = 0.2;

void rounds_begin(struct rounds *rounds, uint64_t n, const char *what)
{
    *rounds = (struct rounds){.what = what,
                              .n = n,
                              .began = tool_now(),
                              .is_terminal = isatty(STDERR_FILENO) == 1};
    held_signals_begin(&rounds->signals);
}

static void show(struct rounds *rounds, uint64_t done)
{
    double now = tool_now(), took = now - rounds->began;

    if (took < SHOWN_AFTER || now - rounds->shown < SHOWN_EVERY)
        return;
    rounds->shown = now;
    fprintf(stderr, "\r\033[Ktopomap: %" PRIu64 " of %" PRIu64 " %s", done,
            rounds->n, rounds->what);
    if (done > 0)
        fprintf(stderr, ", %.0f s left",
                took / (double)done * (double)(rounds->n - done));
    fflush(stderr);
}

bool rounds_go_on(struct rounds *rounds, uint64_t done)
{
    if (done >= rounds->n || held_signals_came(&rounds->signals))
        return false;
    if (rounds->is_terminal)
        show(rounds, done);
    return true;
}

int rounds_end(struct rounds *rounds)
{
    if (rounds->shown > 0)
        fputs("\r\033[K", stderr);
    return held_signals_end(&rounds->signals);
}
