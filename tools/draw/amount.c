/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* amount.c - three digits, and the unit in which they are told best */
#include "config.h"

#include "tools/draw/amount.h"

#include <stddef.h>
#include <stdio.h>

static const char *const prefixes[] = {"", "k", "M", "G", "T", "P", "E"};
enum {
    NPREFIXES = sizeof(prefixes) / sizeof(*prefixes),
};

/* Three digits round 999.5 up to 1000. */
static const double FULL = 999.5;

static const char *print_seconds(char out[AMOUNT_TEXT], double s)
{
    if (s == 0)
        snprintf(out, AMOUNT_TEXT, "0 s");
    else if (s < 1e-9 * FULL)
        snprintf(out, AMOUNT_TEXT, "%.3g ns", 1e9 * s);
    else if (s < 1e-6 * FULL)
        snprintf(out, AMOUNT_TEXT, "%.3g \u00b5s", 1e6 * s);
    else if (s < 1e-3 * FULL)
        snprintf(out, AMOUNT_TEXT, "%.3g ms", 1e3 * s);
    else if (s < FULL)
        snprintf(out, AMOUNT_TEXT, "%.3g s", s);
    else if (s < 36000)
        snprintf(out, AMOUNT_TEXT, "%.0f s", s);
    else
        snprintf(out, AMOUNT_TEXT, "%.0f h", s / 3600);
    return out;
}

const char *amount_text(char out[AMOUNT_TEXT],
                        double value,
                        enum amount_unit unit)
{
    size_t i = 0;

    if (unit == AMOUNT_SECONDS)
        return print_seconds(out, value);
    while (value >= FULL && i + 1 < NPREFIXES) {
        value /= 1000;
        i++;
    }
    snprintf(out, AMOUNT_TEXT, "%.3g%s%s%s", value,
             i > 0 || unit == AMOUNT_BYTES ? " " : "", prefixes[i],
             unit == AMOUNT_BYTES ? "B" : "");
    return out;
}
