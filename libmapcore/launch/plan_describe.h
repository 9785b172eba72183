/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_describe.h - a plan for people, one line a host */
#ifndef LAUNCH_PLAN_DESCRIBE_H
#define LAUNCH_PLAN_DESCRIBE_H

#include "launch/plan.h"

/* The map for people, one line a host: "n0: ranks 0,5", slot by slot; then a
 * line that says where the milliseconds went. nodelist: Slurm's expression.
 * *out is owned. Errors: ENOMEM, EPARSE (another number of hosts). */
int plan_describe(char **out,
                  const struct mapcore_plan *plan,
                  const char *nodelist,
                  struct mapcore_error *err);

#endif
