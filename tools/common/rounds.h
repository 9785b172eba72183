/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rounds.h - a loop of many equal rounds: how far it is stands on a terminal,
 * and a signal ends it with what it has */
#ifndef TOOLS_ROUNDS_H
#define TOOLS_ROUNDS_H

#include "tools/common/held_signals.h"

#include <stdint.h>

struct rounds {
    const char *what; /* "random mappings" */
    uint64_t n;
    double began, shown; /* shown: when, 0: never */
    bool is_terminal;
    struct held_signals signals;
};

void rounds_begin(struct rounds *rounds, uint64_t n, const char *what);
/* Before each round, of which `done` are over: whether to make it. */
bool rounds_go_on(struct rounds *rounds, uint64_t done);
/* Takes the line away; the signal that ended it, or 0. */
int rounds_end(struct rounds *rounds);

#endif
