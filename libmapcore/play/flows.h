/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* flows.h - the flows of a task graph, the ports that each crosses, and what
 * these can carry */
#ifndef MAPCORE_PLAY_FLOWS_H
#define MAPCORE_PLAY_FLOWS_H

#include "base/array.h"
#include "metric/link_ports.h"
#include "play/play.h"

/* Flows of one way and size are one element with several members. Ports are the
 * directions of links, then of network interfaces, then memories: those of
 * which a rate is known. */
struct flows {
    struct arena arena; /* of all but port; also of who plays them */
    uint32_t n;
    struct flow_ends {
        uint32_t from, to; /* tasks */
        uint32_t stage;
    } * ends;          /* [n]; NULL: without stages */
    double *left;      /* [n], bytes that a member has still to send */
    uint32_t *members; /* [n] */
    size_t *first;     /* [n + 1]; the ports of flow i are port[first[i]] .. */
    uint32_t *port;
    uint32_t *whole;    /* [n]; those after the first `whole` carry half */
    uint32_t *active;   /* [nactive] have begun; all that have bytes left, and
                           some that have not */
    uint32_t nactive;   /* 0 at first */
    size_t *port_first; /* [nports + 1]; and the active flows of port p, in */
    uint32_t *flow;     /* their order, flow[port_first[p]] .. */
    uint32_t nports;
    double *capacity; /* [nports] */
    uint64_t nmembers;

    struct link_ports links;
};

/* Flows that cross no port are left out. Starts as all zero but for arena.err;
 * flows_clear is due also after a failure. Errors: ERANGE, ENOMEM. */
int flows_make(struct flows *out,
               const struct mapcore_play_source *source,
               const struct mapcore_play_how *how);
void flows_clear(struct flows *flows);

/* Those that have no bytes left are not active any more, number[n] are; the
 * others keep their order. number NULL: the first n. */
void flows_begin(struct flows *flows, const uint32_t *number, uint32_t n);

#endif
