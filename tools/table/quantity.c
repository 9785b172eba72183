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
#define NEARLY    0.9995
#define TEN_HOURS 36000

/* units[one] is that of 0. */
static void put(char *text,
                double value,
                const struct unit *units,
                size_t n,
                size_t one)
{
    size_t i = 0;

    if (!isfinite(value)) {
        snprintf(text, QUANTITY_TEXT, "-");
        return;
    }
    if (value <= 0 && value >= 0) {
        snprintf(text, QUANTITY_TEXT, "0%s", units[one].name);
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

    put(text, bytes, units, sizeof(units) / sizeof(*units), 0);
}

static void quantity_seconds(char *text, double seconds)
{
    static const struct unit units[] = {
        {1e-9, " ns"}, {1e-6, " us"}, {1e-3, " ms"}, {1, " s"}};

    if (isfinite(seconds) && seconds >= TEN_HOURS)
        snprintf(text, QUANTITY_TEXT, "%.0f h", seconds / 3600);
    else if (isfinite(seconds) && seconds >= 1000 * NEARLY)
        snprintf(text, QUANTITY_TEXT, "%.0f s", seconds);
    else
        put(text, seconds, units, sizeof(units) / sizeof(*units), 3);
}

void quantity_rate(char *text, double rate)
{
    static const struct unit units[] = {
        {1e6, " MB/s"}, {1e9, " GB/s"}, {1e12, " TB/s"}, {1e15, " PB/s"}};

    if (rate < QUANTITY_RATE_LEAST)
        snprintf(text, QUANTITY_TEXT, "%.10g", rate);
    else
        put(text, rate, units, sizeof(units) / sizeof(*units), 0);
}

void quantity_put_time(char *text, double time, enum quantity_time unit)
{
    if (unit == QUANTITY_SECONDS)
        quantity_seconds(text, time);
    else if (unit == QUANTITY_BYTES)
        quantity_bytes(text, time);
    else
        snprintf(text, QUANTITY_TEXT, "%.6g", time);
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
