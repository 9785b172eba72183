/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* amount.c - the text of a number by what it counts */
#include "config.h"

#include "tools/draw/svg/amount.h"

#include "tools/common/quantity.h"

_Static_assert(AMOUNT_TEXT >= QUANTITY_TEXT, "room for any quantity");

enum amount_unit amount_time_unit(double capacity)
{
    return capacity >= QUANTITY_RATE_LEAST ? AMOUNT_SECONDS : AMOUNT_PLAIN;
}

const char *amount_text(char out[AMOUNT_TEXT],
                        double value,
                        enum amount_unit unit)
{
    if (unit == AMOUNT_BYTES)
        quantity_bytes(out, value);
    else if (unit == AMOUNT_SECONDS)
        quantity_seconds(out, value);
    else
        quantity_count(out, value);
    return out;
}
