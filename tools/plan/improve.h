/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* improve.h - a plan made better while the step that it is for runs, for the
 * next one */
#ifndef TOOLS_IMPROVE_H
#define TOOLS_IMPROVE_H

#include "tools/plan/planner/planner.h"

/* Leaves a process behind that searches on, with other seeds and twice the time
 * each time, for so many seconds, and keeps what is better in the cache. It has
 * the least priority and one thread, holds nothing of its parent's open, and
 * ends with srun, which is our parent: whatever ends that. Does nothing where
 * the plan was found in the cache, or the search was through, or nothing can be
 * kept. */
void improve_in_background(struct planner *planner, double seconds);

#endif
