/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_check.h - whether an estimate makes sense of what it is given */
#ifndef MAPCORE_METRIC_ESTIMATE_CHECK_H
#define MAPCORE_METRIC_ESTIMATE_CHECK_H

#include "base/error.h"

struct mapcore_alloc;
struct mapcore_host_rates;

/* Errors: EINVAL: a task of host[ntasks] that is not on a host of the
 * allocation. */
int estimate_check_hosts(const struct mapcore_alloc *alloc,
                         uint32_t ntasks,
                         const uint32_t *host,
                         struct mapcore_error *err);
/* The same, and of rates those that are no numbers from 0 on. */
int estimate_check(const struct mapcore_alloc *alloc,
                   uint32_t ntasks,
                   const uint32_t *host,
                   const struct mapcore_host_rates *rates,
                   struct mapcore_error *err);

#endif
