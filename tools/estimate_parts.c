/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_parts.c - adds up and prints what of a time is not bytes */
#include "config.h"

#include "tools/estimate_parts.h"

#include "tools/common/csv.h"
#include "tools/common/tool.h"

#include <stdio.h>

/* A type that was recorded takes other seconds than its ports: so do its
 * parts. */
struct estimate_parts estimate_parts_of(const struct mapcore_estimate *estimate,
                                        const double *seconds,
                                        size_t n)
{
    struct estimate_parts out = {0};

    for (size_t i = 0; i < n; i++) {
        const double scale =
            estimate[i].time > 0 ? seconds[i] / estimate[i].time : 0;

        out.latency += scale * estimate[i].latency;
        out.messages += scale * estimate[i].messages;
    }
    return out;
}

void estimate_parts_print(struct estimate_parts parts, enum quantity_time unit)
{
    char text[QUANTITY_TEXT];

    quantity_put_time(text, parts.latency, unit);
    tool_print("  %-20s %12s\n", "of it latency", text);
    quantity_put_time(text, parts.messages, unit);
    tool_print("  %-20s %12s\n", "of it messages", text);
}

void estimate_parts_put(struct json_writer *writer,
                        struct estimate_parts parts,
                        enum quantity_time unit)
{
    quantity_put_json(writer, "latency", parts.latency, unit);
    quantity_put_json(writer, "messages", parts.messages, unit);
}

void estimate_parts_csv(struct estimate_parts parts)
{
    csv_put_exact(true, parts.latency);
    csv_put_exact(true, parts.messages);
}
