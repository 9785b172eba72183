/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate.h - how long a phase of communication takes: its slowest link or
 * port */
#ifndef MAPCORE_METRIC_ESTIMATE_H
#define MAPCORE_METRIC_ESTIMATE_H

#include "alloc/alloc.h"
#include "graph/graph.h"

enum mapcore_port_kind {
    MAPCORE_PORT_NONE,   /* nothing carries anything */
    MAPCORE_PORT_LINK,   /* number: a link of the topology */
    MAPCORE_PORT_NIC,    /* number: a host of the allocation; what its tasks
                            send to other hosts, or get from there */
    MAPCORE_PORT_MEMORY, /* the same; what its tasks send each other */
    /* By metric/ports.h only: */
    MAPCORE_PORT_TASK,   /* number: a task; its own port */
    MAPCORE_PORT_SWITCH, /* number: a switch; all that passes it */
};

struct mapcore_port {
    enum mapcore_port_kind kind;
    uint32_t number;
};

/* What a host can do, in the unit of the topology's capacities; 0: not known,
 * and no limit. */
struct mapcore_host_rates {
    double nic;    /* in each direction */
    double memory; /* both directions together */
};

struct mapcore_estimate {
    double time;              /* of the slowest port: seconds where capacities
                                 are bytes per second */
    struct mapcore_port port; /* that one; of equals a link, then a NIC, then
                                 memory, and the lowest number */
    double next_time;         /* if that one took no time */
};

/* Time of a phase = the most over all links, NICs and memories of load /
 * capacity, with no overlap lost and none gained: half of an edge's bytes goes
 * each way, over the routes of mapcore_topo_route. host: [ntasks], as for
 * mapcore_metrics_compute.
 * O(edges x diameter). Errors: EINVAL (a host that is not there; a rate that is
 * no number from 0 on), ENOMEM. */
MAPCORE_API int mapcore_estimate_compute(struct mapcore_estimate *out,
                                         const struct mapcore_graph *graph,
                                         const struct mapcore_alloc *alloc,
                                         const uint32_t *host,
                                         const struct mapcore_host_rates *rates,
                                         struct mapcore_error *err);

/* Its name: "(3,4,5) +x", "network interface of n3", "memory of n3", "port of
 * task 3", "switch s0"; like snprintf. */
MAPCORE_API int mapcore_port_name(const struct mapcore_alloc *alloc,
                                  struct mapcore_port port,
                                  char *buffer,
                                  size_t size);

#endif
