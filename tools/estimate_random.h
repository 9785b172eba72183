/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_random.h - times of random mappings, to compare others with */
#ifndef TOOLS_ESTIMATE_RANDOM_H
#define TOOLS_ESTIMATE_RANDOM_H

#include "alloc/alloc.h"

/* Of a mapping, host[ntasks]. */
typedef int estimate_random_time(double *out,
                                 const void *arg,
                                 const uint32_t *host,
                                 struct mapcore_error *err);

/* The times of so many random mappings of ntasks into the slots, ascending, or
 * of fewer where a signal came, with a note. *out[*n] is the caller's, also
 * after a failure. Errors: ENOMEM, those of time_of. */
int estimate_random(double **out,
                    uint32_t *n,
                    uint32_t most,
                    const struct mapcore_alloc *alloc,
                    uint32_t ntasks,
                    uint64_t seed,
                    estimate_random_time *time_of,
                    const void *arg,
                    struct mapcore_error *err);

#endif
