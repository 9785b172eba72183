/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_forms.h - the ranks of a plan in their order, and for people */
#ifndef LAUNCH_PLAN_FORMS_H
#define LAUNCH_PLAN_FORMS_H

#include "launch/plan.h"

/* (*ranks)[ntasks] by host, then by slot; those of host h are
 * (*first)[h] .. (*first)[h + 1] - 1 of it, (*first)[nhosts + 1]. Both owned by
 * the caller. O(ntasks + nhosts). Errors: ENOMEM. */
int plan_order(uint32_t **ranks,
               uint32_t **first,
               const struct mapcore_plan *plan,
               struct mapcore_error *err);

/* The map for people, one line a host: "n0: ranks 0,5", slot by slot; then a
 * line that says where the milliseconds went. nodelist: Slurm's expression.
 * *out is owned. Errors: ENOMEM, EPARSE (another number of hosts). */
int plan_describe(char **out,
                  const struct mapcore_plan *plan,
                  const char *nodelist,
                  struct mapcore_error *err);

#endif
