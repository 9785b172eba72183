/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine_descent.c - greedy descent of small and large problems alike */
#include "config.h"

#include "map/portfolio/refine_descent.h"

#include "map/portfolio/schedule.h"

int refine_descend(struct refine *refine,
                   struct pool *pool,
                   struct mapcore_error *err)
{
    bool done = true;
    uint32_t n;
    int error = refine_begin(&n, refine, REFINE_DESCENT,
                             schedule_temperatures.none, err);

    for (uint32_t i = 0; error == 0 && done && i < n; i++)
        error = refine_epoch(&done, refine, i, n, pool, err);
    return error;
}
