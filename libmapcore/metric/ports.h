/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ports.h - the time of messages by their lengths, over the ports of a tree:
 * the model of Sweeney et al. */
#ifndef MAPCORE_METRIC_PORTS_H
#define MAPCORE_METRIC_PORTS_H

#include "metric/estimate.h"

#include <stddef.h>

/* Equal messages between two tasks. */
struct mapcore_messages {
    uint32_t from, to;
    uint64_t length; /* bytes of each */
    uint64_t count;
};

/* What the ports and switches of one level can do; rates in bytes per second.
 */
struct mapcore_port_level {
    /* What a port carries of messages of length[i] bytes, in each direction;
     * straight lines between, the nearest outside. n = 0: as much as of any. */
    size_t n;
    const uint64_t *length; /* [n], ascending */
    const double *rate;     /* [n], at most `most` */
    double most;            /* of the port up, in each direction; 0: no limit */
    double switch_most; /* of the element itself, all that passes it once; 0:
                           no limit */
};

/* The communication time that figure 4 estimates in P. F. Sweeney, R. W.
 * Wisniewski, C. Cascaval and S. E. Smith, "Optimizing Communication in MPI
 * Programs for an Execution Environment", IBM Research Report, for messages[n]
 * in ascending order of from. Tasks are the lowest level, with a port each;
 * level[0] is theirs, level[1] that of hosts, level[i] that of switches of that
 * height. The port up of a host is its NIC, and the host as an element its
 * memory.
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
 *  - A message takes no less than a shorter one, whatever the rates are.
 *  - The maximum of a switch, which the figure leaves out, bounds what passes
 *    it.
 * host: [ntasks]. The order of messages, and whether they block, are not
 * modelled. Errors: EINVAL (a task that is not there, or messages out of order;
 * a host that is not there; fewer levels than the network has; a table out of
 * order, or a rate that is not positive or above the port's most), ENOTSUP (the
 * network is no tree), ENOMEM. O(messages x depth x lengths). */
MAPCORE_API int mapcore_ports_estimate(struct mapcore_estimate *out,
                                       const struct mapcore_messages *messages,
                                       size_t n,
                                       uint32_t ntasks,
                                       const struct mapcore_alloc *alloc,
                                       const uint32_t *host,
                                       const struct mapcore_port_level *level,
                                       uint32_t nlevels,
                                       struct mapcore_error *err);

/* How many levels that needs: those of tasks, hosts and switches. Errors:
 * ENOTSUP, ENOMEM. */
MAPCORE_API int mapcore_ports_levels(uint32_t *out,
                                     const struct mapcore_alloc *alloc,
                                     struct mapcore_error *err);

#endif
