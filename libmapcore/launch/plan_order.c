/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_order.c - the ranks of a plan, host after host and slot after slot */
#include "config.h"

#include "launch/plan_order.h"

#include "base/array.h"
#include "base/bucket.h"

#include <stdlib.h>

int plan_order(uint32_t **ranks,
               uint32_t **first,
               const struct mapcore_plan *plan,
               struct mapcore_error *err)
{
    uint32_t *order = array_alloc(plan->ntasks, sizeof(*order), err);
    uint32_t *begin =
        array_alloc((size_t)plan->nhosts + 1, sizeof(*begin), err);

    if (!order || !begin) {
        free(order);
        free(begin);
        return MAPCORE_ENOMEM;
    }
    bucket_starts(begin, plan->host, plan->ntasks, plan->nhosts);
    for (uint32_t r = 0; r < plan->ntasks; r++)
        order[begin[plan->host[r]] + plan->slot[r]] = r;
    *ranks = order;
    *first = begin;
    return 0;
}
