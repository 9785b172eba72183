/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_advice.h - what a job whose ranks stay could ask Slurm for the next time
 */
#ifndef TOOLS_PLAN_ADVICE_H
#define TOOLS_PLAN_ADVICE_H

#include "tools/plan/planner/planner.h"

/* Sets the plan's advice where ranks stay: how many bytes stay inside nodes,
 * and which other nodes, fewer of them or another unit would bring ranks nearer
 * to each other, by short searches in what is left of the time. Leaves it NULL
 * where there is nothing to say, or no memory. */
void plan_advise(struct planner *planner);

#endif
