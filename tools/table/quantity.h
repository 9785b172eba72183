/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* quantity.h - numbers as people write them: 1.5 GB, 2 GB/s */
#ifndef TOOLS_QUANTITY_H
#define TOOLS_QUANTITY_H

/* Three digits and a unit, powers of 1000, into text[QUANTITY_TEXT]; 0 has the
 * unit alone, and what is no number is a dash. */
#define QUANTITY_TEXT 24
void quantity_bytes(char *text, double bytes);
/* Of what a link carries: bytes a second, or, below a megabyte a second, which
 * no network has, a number that only says how links compare. */
#define QUANTITY_RATE_LEAST 1e6

/* What times of links are: seconds, bytes over a capacity of 1, or a number
 * that only says how they compare. */
enum quantity_time {
    QUANTITY_SECONDS,
    QUANTITY_BYTES,
    QUANTITY_BARE,
};
/* For programs: "seconds", "bytes" or "none". */
const char *quantity_time_name(enum quantity_time unit);
/* The key or column of such times: name with "_s", "_bytes" or nothing, into
 * key[QUANTITY_TEXT], which it returns. */
const char *quantity_time_key(char *key,
                              const char *name,
                              enum quantity_time unit);

#endif
