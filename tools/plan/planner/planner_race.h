/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* planner_race.h - the graph that a launch is laid out by where its program's
 * earlier runs compare several */
#ifndef TOOLS_PLANNER_RACE_H
#define TOOLS_PLANNER_RACE_H

#include "tools/plan/planner/planner.h"

/* For a request with learn whose profile is read: the name of the graph that
 * holds, or that is tried against it this time, borrowed from the profile or
 * static, and graph.race says so in a few words. NULL: the profile's usual one,
 * as long as it is not known whether placing is worth anything, and where all
 * graphs are the same. */
const char *planner_race_graph(struct planner *planner);

#endif
