/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.h - exchange of tasks between the parts of one level of a machine */
#ifndef MAPCORE_MAP_SWEEP_H
#define MAPCORE_MAP_SWEEP_H

#include "map/bisection/dual.h"

/* Memory of sweeps. */
struct sweep;

int sweep_create(struct sweep **out,
                 struct dual *dual,
                 struct mapcore_error *err);
void sweep_destroy(struct sweep *sweep);

/* Every part that has tasks now with each of the `partners` parts to which it
 * sends most (ties: the first): dual_exchange, in rounds, from the second on
 * only where one of the two changed in the round before, until nothing changes
 * or rounds are over. Errors: ENOMEM. */
int sweep_run(struct sweep *sweep,
              bool *cut,
              uint32_t partners,
              uint32_t rounds,
              struct mapcore_error *err);

#endif
