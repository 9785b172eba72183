/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* guard.h - whether a mapping would take longer than Slurm's own layout, type
 * by type, with network interfaces and memories */
#ifndef TOOLS_GUARD_H
#define TOOLS_GUARD_H

#include "map/map.h"
#include "metric/estimate.h"
#include "tools/inputs/graphs.h"

/* The search goes by one graph and the links of the network; what it finds is
 * estimated anew by the sum over types, mapcore-estimate(7). */
struct guard {
    struct mapcore_error *err; /* of the caller */
    struct graph_types types;  /* none: there is nothing to be added */
    struct mapcore_host_rates rates;
    const struct mapcore_alloc *alloc;
    struct mapcore_estimate *before; /* [types.n], of Slurm's own layout */
    double seconds;                  /* its time: of all types */
    /* The same for a search to go by; its types are owned. */
    struct mapcore_workload work;
    double links_share; /* of the recorded time in that layout, what bytes need;
                           negative: not known */
    double cost;        /* seconds that an estimate takes here */
};

/* All are borrowed until guard_end. */
struct guard_subject {
    const char *profile; /* the folder whose types are added up, or NULL, and
                            what cannot be read counts as that: graph alone */
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    struct mapcore_host_rates rates;
    double traffic;           /* DEFAULTS_TRAFFIC, or what a site says */
    const uint32_t *baseline; /* [ntasks], the hosts of Slurm's own layout */
};

/* guard_end is due in any case. Errors: ENOMEM. */
int guard_begin(struct guard *out,
                const struct guard_subject *subject,
                struct mapcore_error *err);
/* The time of Slurm's own layout, then that of what the search has found. Where
 * there is but the task graph and no rate, the search knows them already.
 * Errors: ENOMEM. */
int guard_compare(double out[2],
                  const struct guard *guard,
                  const struct mapcore_result *result);
void guard_end(struct guard *guard);

#endif
