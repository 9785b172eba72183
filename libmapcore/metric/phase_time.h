/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_time.h - how long phases of communication take that follow each other
 */
#ifndef MAPCORE_METRIC_PHASE_TIME_H
#define MAPCORE_METRIC_PHASE_TIME_H

#include "graph/phases.h"
#include "metric/estimate.h"

/* The time of all phases, each of which takes what its slowest port does: links
 * and network interfaces in each direction, memories. port and next_time are
 * those of the longest phase's slowest port: of equals the first phase's. host:
 * [ntasks], as for mapcore_metrics_compute. O(flows x diameter). Errors: as
 * mapcore_estimate_compute. */
MAPCORE_API int mapcore_estimate_phases(struct mapcore_estimate *out,
                                        const struct mapcore_phases *phases,
                                        const struct mapcore_alloc *alloc,
                                        const uint32_t *host,
                                        const struct mapcore_host_rates *rates,
                                        struct mapcore_error *err);

#endif
