/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* exchange.h - exchange of tasks between the parts of one level of a tree of
 * hosts */
#ifndef MAPCORE_MAP_EXCHANGE_H
#define MAPCORE_MAP_EXCHANGE_H

#include "map/bisection/dual.h"

/* Memory that one run after the other uses. */
struct exchange;

int exchange_create(struct exchange **out,
                    struct dual *dual,
                    struct mapcore_error *err);
void exchange_destroy(struct exchange *exchange);

/* Every part that has tasks now with each of the `partners` parts to which it
 * sends most (ties: the first): dual_exchange, in rounds, from the second on
 * only where one of the two changed in the round before, until nothing changes
 * or rounds are over. Errors: ENOMEM. */
int exchange_run(struct exchange *exchange,
                 bool *timed_out,
                 uint32_t partners,
                 uint32_t rounds,
                 struct mapcore_error *err);

#endif
