/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_learn.h - what a launch that is learnt from does beside its plan: is
 * it recorded, does it stay as Slurm puts it */
#ifndef TOOLS_PLANNER_LEARN_H
#define TOOLS_PLANNER_LEARN_H

#include "tools/plan/planner/planner.h"

/* After planner_run, of a request with learn. A program without a profile of
 * its own build and size is to be recorded, within what the site allows; where
 * there is a plan its earlier runs decide whether it is used, and the reason
 * says what they came to. Whatever fails leaves the plan as it is. */
void planner_learn(struct planner *planner);

#endif
