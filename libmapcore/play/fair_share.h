/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fair_share.h - what each flow may send when all share their ports fairly */
#ifndef MAPCORE_PLAY_FAIR_SHARE_H
#define MAPCORE_PLAY_FAIR_SHARE_H

#include "play/flows.h"

struct fair_share {
    double *rate; /* [flows], of a member; made by fair_share_find */
    struct fair_port {
        double left, members; /* what is not shared yet, and among how many;
                                 of what takes half, halves */
    } * port;                 /* [nports] */

    struct fair_key {
        double share;
        uint32_t port;
    } * heap; /* [nports] */
    uint32_t nheap;
    uint64_t *settled, round; /* [flows], the round in which */
};

/* Starts as all zero; fair_share_clear is due also after a failure. Errors:
 * ENOMEM. */
int fair_share_init(struct fair_share *out,
                    const struct flows *flows,
                    struct mapcore_error *err);
void fair_share_clear(struct fair_share *share);

/* Max-min fair rates of all active flows that have bytes left, by progressive
 * filling: all rates grow until a port is full; its flows keep what they have,
 * the others go on growing (Bertsekas and Gallager, Data Networks, 1992,
 * section 6.5.2). A port's share only grows while flows settle at less, so a
 * heap with outdated keys will do. O(links of all flows + ports log ports). */
void fair_share_find(struct fair_share *share, const struct flows *flows);

#endif
