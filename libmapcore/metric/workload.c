/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* workload.c - the sum over the types of a program */
#include "config.h"

#include "metric/workload.h"

int mapcore_work_type_estimate(struct mapcore_estimate *out,
                               const struct mapcore_work_type *type,
                               const struct mapcore_alloc *alloc,
                               const uint32_t *host,
                               const struct mapcore_host_rates *rates,
                               struct mapcore_error *err)
{
    return type->phases ? mapcore_estimate_phases(out, type->phases, alloc,
                                                  host, rates, err)
                        : mapcore_estimate_compute(out, type->graph, alloc,
                                                   host, rates, err);
}

int mapcore_workload_time(double *out,
                          const struct mapcore_workload *work,
                          const struct mapcore_alloc *alloc,
                          const uint32_t *host,
                          struct mapcore_error *err)
{
    double sum = 0;

    for (size_t i = 0; i < work->n; i++) {
        struct mapcore_estimate estimate;
        int error = mapcore_work_type_estimate(&estimate, &work->type[i], alloc,
                                               host, &work->rates, err);

        if (error < 0)
            return error;
        sum += work->type[i].scale * estimate.time;
    }
    *out = sum;
    return 0;
}
