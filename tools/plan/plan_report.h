/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_report.h - pictures of a plan, in the page of topomap report */
#ifndef TOOLS_PLAN_REPORT_H
#define TOOLS_PLAN_REPORT_H

#include "tools/plan/planner/planner.h"

/* Writes the page: Slurm's own layout beside what was found, also where that is
 * not taken. Errors: ENOENT (nothing was searched; with the plan's reason),
 * those of tool_output and scene_draw. */
int plan_report_write(const struct planner *planner,
                      const char *path,
                      struct mapcore_error *err);

/* The same for a launch, which does not wait for it: by a process that outlives
 * this one. What can be known before, that nothing can be written there, is
 * told behind the plan's reason. */
void plan_report_leave(struct planner *planner, const char *path);

#endif
