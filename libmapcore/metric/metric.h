/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* metric.h - how good a mapping is: equations 1 to 5 of ICS'17 */
#ifndef MAPCORE_METRIC_METRIC_H
#define MAPCORE_METRIC_METRIC_H

#include "alloc/mapping.h"
#include "graph/graph.h"
#include "topo/hwnode.h"

/* Distances count network links; 0 inside a host. */
struct mapcore_metrics {
    double avg_hop_bytes;    /* eq. 2, mean over tasks of eq. 1 */
    double max_hop_bytes;    /* eq. 3 */
    double hops_per_byte;    /* sum w d / sum w over edges; 0 without edges */
    uint64_t off_node_bytes; /* bytes between different hosts */
    double max_link_bytes;   /* eqs. 4 and 5: half of an edge's bytes goes each
                                way; per direction on a torus, both directions
                                together on a tree's link */
    uint32_t max_link;       /* that link (the lowest number of equals), or
                                MAPCORE_NONE when no link carries anything */
    double max_link_time;    /* bytes of one direction / capacity of the link
                                where that is largest: seconds when capacities
                                are bytes per second */
    uint32_t max_time_link;  /* that link, as max_link */
};

/* Which of the shortest routes messages take. */
enum mapcore_routes {
    MAPCORE_ROUTES_STATIC, /* dimension by dimension on a torus, half each way
                              round a ring where both are equally long; else
                              mapcore_topo_route */
    MAPCORE_ROUTES_LEAST_LOADED, /* ICS'17 section 5.1: task pair after task
                                    pair the currently least loaded one; see
                                    metric/link_loads.h for ties and cost */
};

/* host: [ntasks of graph], indices into alloc, as in a mapping. Hop-bytes are
 * summed in 128 bits and in index order: exact, the same everywhere. Errors:
 * EINVAL (a host that is not there), ENOMEM. */
MAPCORE_API int mapcore_metrics_compute(struct mapcore_metrics *out,
                                        const struct mapcore_graph *graph,
                                        const struct mapcore_alloc *alloc,
                                        const uint32_t *host,
                                        struct mapcore_error *err);

/* The same with a choice of routes; bytes[nlinks of the topology], or NULL:
 * what each link carries, as max_link_bytes counts it. */
struct mapcore_metrics_how {
    enum mapcore_routes routes;
    double *bytes;
};
MAPCORE_API int mapcore_metrics_compute_routes(
    struct mapcore_metrics *out,
    const struct mapcore_graph *graph,
    const struct mapcore_alloc *alloc,
    const uint32_t *host,
    const struct mapcore_metrics_how *how,
    struct mapcore_error *err);

/* Inside hosts, as a second objective: what no network link sees. */
struct mapcore_inside {
    double avg_inside_hop_bytes; /* mean over tasks of bytes x steps in the
                                    hardware tree to tasks of the same host */
    double inside_hops_per_byte; /* steps that such a byte makes; 0: no bytes */
    uint64_t inside_bytes;
};

/* The slots of a host are all that the allocation gives it. Errors: EINVAL (not
 * a mapping of this graph on these hosts). */
MAPCORE_API int mapcore_inside_compute(struct mapcore_inside *out,
                                       const struct mapcore_graph *graph,
                                       const struct mapcore_alloc *alloc,
                                       const struct mapcore_mapping *mapping,
                                       const struct mapcore_hwnode *node,
                                       struct mapcore_error *err);

#endif
