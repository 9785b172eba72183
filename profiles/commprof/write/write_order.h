/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* write_order.h - in which order tasks first sent to each other, as a profile
 * tells it */
#ifndef COMMPROF_WRITE_ORDER_H
#define COMMPROF_WRITE_ORDER_H

#include "commprof/count/messages.h"

#include <stdio.h>

/* In how many stages: by type and phase; 0: not known of all its messages. */
struct write_order {
    uint16_t stages[NTYPES][PHASES_MOST];
};

/* O(n). */
void write_order_find(struct write_order *out, const struct messages *messages);

/* The lines "#order type from stage to ..." of that phase's messages, of the
 * types whose order is known. O(n + 256 x tasks x types). Errors: ENOMEM. */
int write_order_put(FILE *file,
                    const struct write_order *order,
                    const struct messages *messages,
                    uint32_t phase,
                    struct mapcore_error *err);

#endif
