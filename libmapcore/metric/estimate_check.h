/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_check.h - whether an estimate makes sense of what it is given */
#ifndef MAPCORE_METRIC_ESTIMATE_CHECK_H
#define MAPCORE_METRIC_ESTIMATE_CHECK_H

#include "alloc/alloc.h"

/* Errors: EINVAL: a rate that is no number from 0 on; a task of host[ntasks]
 * that is not on a host of the allocation. */
int estimate_check(const struct mapcore_alloc *alloc,
                   uint32_t ntasks,
                   const uint32_t *host,
                   double nic_rate,
                   double memory_rate,
                   struct mapcore_error *err);

#endif
