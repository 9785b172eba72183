/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* amount.h - numbers as people write them: 1.23 GB, 45 ms, 12.3 k */
#ifndef TOOLS_DRAW_AMOUNT_H
#define TOOLS_DRAW_AMOUNT_H

enum amount_unit {
    AMOUNT_BYTES,
    AMOUNT_MESSAGES,
    AMOUNT_SECONDS,
    AMOUNT_PLAIN, /* no unit: loads by capacities that are relative */
};

/* Of bytes over a capacity: seconds, where that is bytes a second and not only
 * a number by which links compare. */
enum amount_unit amount_time_unit(double capacity);

/* Three digits and a unit into out, which is returned. value: bytes, messages
 * or seconds, 0 or more. */
#define AMOUNT_TEXT 32
const char *amount_text(char out[AMOUNT_TEXT],
                        double value,
                        enum amount_unit unit);

#endif
