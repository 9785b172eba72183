/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* play_order.h - which flows may begin when those before them have ended */
#ifndef MAPCORE_PLAY_PLAY_ORDER_H
#define MAPCORE_PLAY_PLAY_ORDER_H

#include "play/flows.h"

/* A flow begins when both its tasks have ended all their flows of lower stages,
 * out and in. So none waits for one that is not of a lower stage, and of the
 * lowest one that is not over all have begun: there is always one to go on
 * with. */
struct play_order {
    const struct flows *flows; /* borrowed; with ends */
    uint32_t ntasks, stages;
    size_t *first;     /* [ntasks + 1]; the flows of task t, by stages, */
    uint32_t *flow;    /* are flow[first[t]] .. */
    size_t *at;        /* [ntasks]; those of its stage begin there */
    uint32_t *unended; /* [ntasks] how many of these are not over */
    uint32_t *ready;   /* [nready] may begin, and have not */
    uint32_t nready;
};

/* Starts as all zero; play_order_clear
 * is due also after a failure. Errors: ENOMEM. O(flows + tasks). */
int play_order_init(struct play_order *out,
                    const struct flows *flows,
                    uint32_t ntasks,
                    struct mapcore_error *err);
void play_order_clear(struct play_order *order);

/* Flow number i is over: what may begin then is ready. */
void play_order_end(struct play_order *order, uint32_t i);

#endif
