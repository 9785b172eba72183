/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_check.c - refuses what cannot be estimated */
#include "config.h"

#include "metric/estimate_check.h"

#include "base/error_set.h"

#include <math.h>

int estimate_check(const struct mapcore_alloc *alloc,
                   uint32_t ntasks,
                   const uint32_t *host,
                   double nic_rate,
                   double memory_rate,
                   struct mapcore_error *err)
{
    uint32_t nhosts = mapcore_alloc_nhosts(alloc);

    if (!(nic_rate >= 0 && isfinite(nic_rate)) ||
        !(memory_rate >= 0 && isfinite(memory_rate)))
        return error_set(err, MAPCORE_EINVAL,
                         "a node's rates are %g and %g, but must be numbers "
                         "from 0 on",
                         nic_rate, memory_rate);
    for (uint32_t t = 0; t < ntasks; t++)
        if (host[t] >= nhosts)
            return error_set(err, MAPCORE_EINVAL,
                             "task %u is on node %u of an allocation of %u", t,
                             host[t], nhosts);
    return 0;
}
