/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* held_signals.h - INT, TERM and HUP kept waiting, for work that then ends with
 * what it has so far instead of with nothing */
#ifndef TOOLS_HELD_SIGNALS_H
#define TOOLS_HELD_SIGNALS_H

#include <signal.h>
#include <stdbool.h>

struct held_signals {
    sigset_t held, before;
    bool any;
};

/* Holds those that are not ignored (nohup). */
void held_signals_begin(struct held_signals *held);
/* Whether one has come; from any thread. */
bool held_signals_came(const struct held_signals *held);
/* Lets them through again; the one that has come is taken first, so that it
 * does not end us now that its work is done (a second one does), and returned:
 * 0 for none. */
int held_signals_end(struct held_signals *held);

#endif
