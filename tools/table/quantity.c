/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* quantity.c - a number, and the unit in which it has one to three digits
 * before its point */
#include "config.h"

#include "tools/table/quantity.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>

struct unit {
    double size;
    const char *name;
};

/* What rounds to 1000 of a unit is 1 of the next. */
#define NEARLY 0.9995

static void put(char *text, double value, const struct unit *units, size_t n)
{
    size_t i = 0;

    if (!isfinite(value)) {
        snprintf(text, QUANTITY_TEXT, "-");
        return;
    }
    if (value <= 0 && value >= 0) {
        snprintf(text, QUANTITY_TEXT, "0%s", units[0].name);
        return;
    }
    while (i + 1 < n && fabs(value) >= NEARLY * units[i + 1].size)
        i++;
    snprintf(text, QUANTITY_TEXT, "%.3g%s", value / units[i].size,
             units[i].name);
}

void quantity_bytes(char *text, double bytes)
{
    static const struct unit units[] = {
        {1, " B"},     {1e3, " kB"},  {1e6, " MB"}, {1e9, " GB"},
        {1e12, " TB"}, {1e15, " PB"}, {1e18, " EB"}};

    put(text, bytes, units, sizeof(units) / sizeof(*units));
}

const char *quantity_time_name(enum quantity_time unit)
{
    return unit == QUANTITY_SECONDS ? "seconds"
           : unit == QUANTITY_BYTES ? "bytes"
                                    : "none";
}

const char *quantity_time_key(char *key,
                              const char *name,
                              enum quantity_time unit)
{
    snprintf(key, QUANTITY_TEXT, "%s%s", name,
             unit == QUANTITY_SECONDS ? "_s"
             : unit == QUANTITY_BYTES ? "_bytes"
                                      : "");
    return key;
}
