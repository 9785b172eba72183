/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ports.h - the time of messages by their lengths, over the ports of a tree:
 * the model of Sweeney et al. */
#ifndef MAPCORE_METRIC_PORTS_H
#define MAPCORE_METRIC_PORTS_H

#include "alloc/mapping.h"
#include "metric/estimate.h"
#include "topo/hwnode.h"

#include <stddef.h>

/* Equal messages between two tasks. */
struct mapcore_messages {
    uint32_t from, to;
    uint64_t length; /* bytes of each */
    uint64_t count;
};

/* What one direction of a port carries, in bytes per second. */
struct mapcore_port_rates {
    /* Of messages of length[i] bytes; straight lines between, the nearest
     * outside. n = 0: as much as of any. */
    size_t n;
    const uint64_t *length; /* [n], ascending */
    const double *rate;     /* [n], above 0 and at most `most` */
    double most;            /* of all; 0: no limit, only where n is 0 */
};

/* A type of element: the directions of its port up, and itself. */
struct mapcore_port_type {
    struct mapcore_port_rates out, in; /* up from it, and down to it */
    double switch_most; /* bytes per second, all that passes it once; 0: no
                           limit */
};

/* The elements of one level. */
struct mapcore_port_level {
    const struct mapcore_port_type *type; /* [ntypes] */
    uint32_t ntypes;
    /* Which of them an element is, by the number of its switch or, up to hosts,
     * of its host in the topology; NULL: type[0]. */
    const uint32_t *type_of;
    /* Of the objects that hosts have inside, as hwloc calls them, "L3"; else
     * NULL. */
    const char *object;
};

/* Levels from below: tasks, any number of objects inside hosts, hosts, and
 * switches by their height. */
struct mapcore_ports {
    const struct mapcore_port_level *level; /* [n] */
    uint32_t n;
    const struct mapcore_hwnode *node; /* that hosts have inside; NULL where no
                                          level is of objects */
};

/* The communication time that figure 4 estimates in P. F. Sweeney, R. W.
 * Wisniewski, C. Cascaval and S. E. Smith, "Optimizing Communication in MPI
 * Programs for an Execution Environment", IBM Research Report, for messages[n]
 * in ascending order of from. Tasks have a port each; the port up of a host is
 * its NIC, and the host as an element its memory.
 *
 * A direction of a port costs the most of what the messages of any one task
 * need there one after the other (taskCost), and of all bytes / most: in that
 * time the port can carry all of them, those of a task at the even rate of
 * bytes / cost, which is never above what its messages reach nor, for all
 * together, above most. Both only grow with a message, none falls with its
 * length, and neither knows an order: so a time never falls when messages are
 * added or when two ports' traffic shares one, and renumbering ranks or hosts
 * changes nothing. Deviations from the figure:
 *  - It adds tasks in the order of their numbers, and of a later task only the
 *    part that does not fit in what the earlier ones leave: nothing, where it
 *    fits, even if that task alone takes longer; and what does not fit costs
 *    what the task needs alone, even if the port is full of others.
 *  - Bytes of all messages count, not of one; those of a task do not take away
 *    from what is available to itself; ports without bytes are skipped.
 *  - A message takes no less than a shorter one, at any rates.
 *  - The maximum of a switch, which the figure leaves out, bounds what passes
 *    it.
 * The order of messages, and whether they block, are not modelled. Errors:
 * EINVAL (a task that is not there, or messages out of order; a host or a type
 * that is not there; fewer levels than the network has), ENOTSUP (the network
 * is no tree), ERANGE, ENOMEM. O(messages x depth x lengths). */
MAPCORE_API int mapcore_ports_estimate(struct mapcore_estimate *out,
                                       const struct mapcore_messages *messages,
                                       size_t n,
                                       const struct mapcore_mapping *mapping,
                                       const struct mapcore_alloc *alloc,
                                       const struct mapcore_ports *ports,
                                       struct mapcore_error *err);

/* How many levels that needs beside objects': tasks', hosts' and switches'.
 * Errors: ENOTSUP, ENOMEM. */
MAPCORE_API int mapcore_ports_levels(uint32_t *out,
                                     const struct mapcore_alloc *alloc,
                                     struct mapcore_error *err);

#endif
