/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_parts.h - how much of an estimated time is latency, and how much is
 * what messages take */
#ifndef TOOLS_ESTIMATE_PARTS_H
#define TOOLS_ESTIMATE_PARTS_H

#include "metric/estimate.h"
#include "tools/common/quantity.h"
#include "json/json.h"

/* In the unit of seconds[n], which estimate[n] came to. */
struct estimate_parts {
    double latency, messages;
};
struct estimate_parts estimate_parts_of(const struct mapcore_estimate *estimate,
                                        const double *seconds,
                                        size_t n);

/* A line each. */
void estimate_parts_print(struct estimate_parts parts, enum quantity_time unit);
/* latency and messages, quantity_time_key(), of the object that is open. */
void estimate_parts_put(struct json_writer *writer,
                        struct estimate_parts parts,
                        enum quantity_time unit);
/* Two more cells of a line that is open. */
void estimate_parts_csv(struct estimate_parts parts);

#endif
