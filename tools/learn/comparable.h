/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* comparable.h - which steps of a history can be compared with each other */
#ifndef TOOLS_COMPARABLE_H
#define TOOLS_COMPARABLE_H

#include "profiles/history/history_line.h"
#include "tools/learn/paired.h"

/* An order of steps in which those come together that can be compared: the same
 * program and build, arguments, tasks, nodes and kind of node. */
int comparable_order(const struct history_line *a,
                     const struct history_line *b);

/* Whether a step can be compared at all, and how: it was placed, or was not
 * though it could have been, and how long it ran is known. */
bool comparable_run(struct learn_run *out, const struct history_line *step);

#endif
