/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* quantity.c - units of times of links, by name */
#include "config.h"

#include "tools/table/quantity.h"

#include <stdio.h>

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
