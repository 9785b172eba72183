/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_order.h - the ranks of a plan, host after host and slot after slot */
#ifndef LAUNCH_PLAN_ORDER_H
#define LAUNCH_PLAN_ORDER_H

#include "launch/plan.h"

/* (*ranks)[ntasks] by host, then by slot; those of host h are
 * (*first)[h] .. (*first)[h + 1] - 1 of it, (*first)[nhosts + 1]. Both owned by
 * the caller. O(ntasks + nhosts). Errors: ENOMEM. */
int plan_order(uint32_t **ranks,
               uint32_t **first,
               const struct mapcore_plan *plan,
               struct mapcore_error *err);

#endif
