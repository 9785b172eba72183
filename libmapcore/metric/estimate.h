/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate.h - how long communication takes: its slowest link or port, and what
 * that is called (metric/workload.h computes it) */
#ifndef MAPCORE_METRIC_ESTIMATE_H
#define MAPCORE_METRIC_ESTIMATE_H

#include "alloc/alloc.h"

#include <stdbool.h>

enum mapcore_port_kind {
    MAPCORE_PORT_NONE,   /* nothing carries anything */
    MAPCORE_PORT_LINK,   /* number: a link of the topology */
    MAPCORE_PORT_NIC,    /* number: a host of the allocation; what its tasks
                            send to other hosts, or get from there */
    MAPCORE_PORT_MEMORY, /* the same; what its tasks send each other */
    /* By metric/ports.h only: */
    MAPCORE_PORT_TASK,   /* number: a task; its own port */
    MAPCORE_PORT_SWITCH, /* number: a switch; all that passes it */
    MAPCORE_PORT_OBJECT, /* number: a task; the object of its host's hardware
                            that holds it, or the port of that */
};

struct mapcore_port {
    enum mapcore_port_kind kind;
    uint32_t number;
    const char *object; /* of an object, "L3"; borrowed */
};

/* What a message takes beside its bytes, in the unit of time that follows from
 * the capacities; 0: not known, and no time. In the terms of A. Alexandrov, M.
 * Ionescu, K. E. Schauser and C. Scheiman, "LogGP: Incorporating Long Messages
 * into the LogP Model", SPAA 1995: */
struct mapcore_message_costs {
    double nic;  /* the gap g: of the network interface that it leaves, and of
                    the one where it comes in */
    double task; /* the overhead o: of the task that sends it, and of the one
                    that gets it */
    /* L, until its first byte is there: */
    double memory_latency; /* within a host */
    double nic_latency;    /* between hosts, and for each link between them */
    double hop_latency;
};

/* Which way a flow goes. */
enum mapcore_routing {
    MAPCORE_ROUTING_STATIC,   /* dimension by dimension on a torus, half of a
                                 flow each way round a ring where both are
                                 equally long; else mapcore_topo_route */
    MAPCORE_ROUTING_ECMP,     /* at each switch any of the minimal next hops,
                                 drawn for each flow (equal-cost multipath) */
    MAPCORE_ROUTING_ADAPTIVE, /* flow after flow the least loaded of the
                                 shortest paths, as ICS'17 section 5.1 */
    /* Flow after flow the static path, or, where its busiest link x its length
     * is more, that through a host drawn for it: UGAL with global knowledge
     * (Kim, Dally, Scott and Abts, "Technology-Driven, Highly-Scalable
     * Dragonfly Topology", ISCA 2008), with bytes for queues. */
    MAPCORE_ROUTING_UGAL,
};

/* What a host can do, in the unit of the topology's capacities; 0: not known,
 * and no limit. */
struct mapcore_host_rates {
    double nic;    /* in each direction */
    double memory; /* both directions together */
    /* Both ways of a tie of a torus carry all of a message, not half: one of
     * them does, and which is the machine's to say. A mapping that goes by
     * halves is slow where it guessed wrong. */
    bool ties_are_whole;
    /* Estimates take static routes. With any other routing they fill the cables
     * of a tree's trunk evenly; ties_are_whole is then to be false. */
    enum mapcore_routing routing;
    struct mapcore_message_costs message;
};

/* Of the hosts of mapcore_alloc_by_rail, where those are of nodes: interfaces
 * share a node's. */
MAPCORE_API struct mapcore_host_rates mapcore_rates_by_rail(
    const struct mapcore_host_rates *rates,
    const struct mapcore_alloc *alloc);

struct mapcore_estimate {
    double time;              /* of the slowest port: seconds where capacities
                                 are bytes per second */
    struct mapcore_port port; /* that one; of equals a link, then a NIC, then
                                 memory, and the lowest number */
    double next_time;         /* if that one took no time */
    /* How much of time is latency, the most over all flows of messages x
     * latency (those of a pair follow each other, those of others go beside);
     * and how much of it the slowest ports need for messages, not bytes; 0
     * where these are not known. */
    double latency, messages;
    double traffic; /* for how long all links together are busy */
};

/* Whether messages take anything beside their bytes. */
MAPCORE_API bool mapcore_message_costs_known(
    const struct mapcore_message_costs *costs);

/* Its name: "(3,4,5) +x", "network interface of n3", "memory of n3", "port of
 * task 3", "L3 of task 3", "switch s0"; like snprintf. */
MAPCORE_API int mapcore_port_name(const struct mapcore_alloc *alloc,
                                  struct mapcore_port port,
                                  char *buffer,
                                  size_t size);

#endif
