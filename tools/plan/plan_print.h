/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_print.h - a plan as text for people, JSON, the wire, a file for later,
 * another launcher's file, or pictures */
#ifndef TOOLS_PLAN_PRINT_H
#define TOOLS_PLAN_PRINT_H

#include "tools/plan/planner/planner.h"

enum plan_format {
    PLAN_TEXT,
    PLAN_JSON,
    PLAN_CSV,
    PLAN_WIRE,
    PLAN_HOSTFILE,
    PLAN_RANKFILE,
    PLAN_MPICH,
    PLAN_FILE,
};

/* Prints the plan that planner_run or planner_keep has made to stdout.
 * Another launcher's file, when Slurm's layout is kept, is that layout, with a
 * note on stderr. Errors: EIO, ENOMEM. */
int plan_print(const struct planner *planner, enum plan_format format);

/* The plan as JSON, and what people see of it besides, for topomap tune.
 * Errors: EIO, ENOMEM. */
int plan_print_all(const struct planner *planner, FILE *file);

/* Writes the page: Slurm's own layout beside what was found, also where that is
 * not taken. Errors: ENOENT (nothing was searched; with the plan's reason),
 * those of tool_output and scene_draw. */
int plan_report_write(const struct planner *planner,
                      const char *path,
                      struct mapcore_error *err);

/* The same for a launch, which does not wait for it: by a process that outlives
 * this one. What can be known before, that nothing can be written there, is
 * said behind the plan's reason. */
void plan_report_leave(struct planner *planner, const char *path);

#endif
