/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* parallel.h - a search that the nodes of the job itself help with: a step of
 * topomap-mpi beside it */
#ifndef TOOLS_PARALLEL_H
#define TOOLS_PARALLEL_H

#include "tools/plan/planner/planner.h"

/* For plan_request.search_by, with the job's number (const char *) as
 * search_arg: searches here, while a step on all nodes of the launch does so
 * with the next seeds, and takes what the step has found where that is better.
 * The search here counts, also where the step fails; what is left of it when
 * the time is up is ended, and it ends with this process, however that ends.
 * Errors: those of planner_search_here. */
int parallel_search(struct planner *planner, const struct timed_search *which);

#endif
