/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* workload.h - all that a program communicates, type after type, and how long
 * that takes */
#ifndef MAPCORE_METRIC_WORKLOAD_H
#define MAPCORE_METRIC_WORKLOAD_H

#include "graph/phases.h"
#include "metric/estimate.h"

/* Everything is borrowed. */
struct mapcore_workload {
    struct mapcore_work_type {
        const struct mapcore_graph *graph;
        const struct mapcore_phases *phases; /* NULL: the graph at once */
        /* Of a graph at once: one phase whose flows say how many messages, and
         * whose bytes are those of the graph. NULL: not known. */
        const struct mapcore_phases *messages;
        /* Of phases: what they are where hosts are known. They themselves are
         * those without. */
        struct mapcore_staging staging;
        /* Seconds for each second that its ports need: a profile knows how long
         * it took under some mapping. */
        double scale;
    } * type; /* [n] */
    size_t n;
    struct mapcore_host_rates rates;
    /* What a second counts for which a link is busy. The slowest port is not
     * all: flows share it with others, that end later for it, and so do
     * other jobs in the network. 0: nothing. */
    double traffic;
};

/* The type as it is under a mapping, host: [ntasks], numbers of the
 * allocation, for as long as *phases live, which are owned, or NULL where it is
 * the same under any. Errors: ERANGE, ENOMEM. */
MAPCORE_API int mapcore_work_type_under(struct mapcore_work_type *out,
                                        struct mapcore_phases **phases,
                                        const struct mapcore_work_type *type,
                                        const uint32_t *host,
                                        struct mapcore_error *err);
/* Scaled seconds of all types, one after the other, and what their traffic
 * counts. host: [ntasks]. Errors: as mapcore_work_type_estimate. */
MAPCORE_API int mapcore_workload_cost(double *out,
                                      const struct mapcore_workload *work,
                                      const struct mapcore_alloc *alloc,
                                      const uint32_t *host,
                                      struct mapcore_error *err);
/* Of one type, not scaled: the time of all its phases, each of which takes what
 * its slowest port does, with no overlap lost and none gained: links and
 * network interfaces in each direction, memories, tasks. port and next_time are
 * those of the longest phase's slowest port, of equals the first phase's. Of a
 * graph at once half of an edge's bytes goes each way, over
 * MAPCORE_ROUTES_STATIC. host: [ntasks], as for mapcore_metrics_compute.
 * O(flows or edges x diameter). Errors: EINVAL (a host that is not there; a
 * rate or a cost that is no number from 0 on; messages of other tasks), ERANGE,
 * ENOMEM. */
MAPCORE_API int mapcore_work_type_estimate(
    struct mapcore_estimate *out,
    const struct mapcore_work_type *type,
    const struct mapcore_alloc *alloc,
    const uint32_t *host,
    const struct mapcore_host_rates *rates,
    struct mapcore_error *err);
/* What messages add to one phase of a type, of a graph at once to its only one,
 * 0: the slowest network interface or task, with bytes where these have a rate;
 * latency; and messages, the most that they take of any of them. All is 0 where
 * the numbers of messages, or what they take, are not known. Errors: the same.
 * O(hosts + tasks + flows). */
MAPCORE_API int mapcore_work_type_messages(
    struct mapcore_estimate *out,
    const struct mapcore_work_type *type,
    size_t phase,
    const struct mapcore_alloc *alloc,
    const uint32_t *host,
    const struct mapcore_host_rates *rates,
    struct mapcore_error *err);

#endif
