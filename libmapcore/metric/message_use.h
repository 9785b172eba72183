/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* message_use.h - messages by network interface and by task, phase after phase
 */
#ifndef MAPCORE_METRIC_MESSAGE_USE_H
#define MAPCORE_METRIC_MESSAGE_USE_H

#include "metric/estimate.h"

struct message_use;

/* Borrows all but err. *out is NULL where messages take nothing. Errors: EINVAL
 * (a cost that is no number from 0 on), ENOMEM. */
int message_use_open(struct message_use **out,
                     const struct mapcore_alloc *alloc,
                     uint32_t ntasks,
                     const uint32_t *host,
                     const struct mapcore_host_rates *rates,
                     struct mapcore_error *err);
void message_use_close(struct message_use *use);

/* Into the phase that is open: one direction. */
void message_use_add(struct message_use *use,
                     uint32_t from,
                     uint32_t to,
                     double bytes,
                     uint64_t messages);
/* Its end; the next one is open. */
struct mapcore_message_time message_use_end(struct message_use *use);

/* What a phase takes, of which the bytes are known. */
void message_time_join(struct mapcore_estimate *phase,
                       const struct mapcore_message_time *time);

#endif
