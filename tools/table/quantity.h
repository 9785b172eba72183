/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* quantity.h - units of times of links, by name */
#ifndef TOOLS_QUANTITY_H
#define TOOLS_QUANTITY_H

#define QUANTITY_TEXT 24
/* Bytes a second: no network has less, and such a number only says how links
 * compare. */
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
