/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slot_counts.c - Slurm's short form of counts per host: 16(x3),8 */
#include "config.h"

#include "alloc/alloc.h"

#include "base/text.h"

#include <string.h>

/* How many hosts it speaks of, 1 for a single number, and, unless slots is
 * NULL, what it says of them. */
static int read_counts(uint32_t *slots,
                       uint32_t *nhosts,
                       const char *text,
                       struct mapcore_error *err)
{
    const char *p = text;
    uint64_t n = 0;

    do {
        uint32_t count, repeat;

        if (!text_take_count(&p, &count, &repeat))
            return error_set(err, MAPCORE_EPARSE,
                             "slots '%.100s' are not of the form N or "
                             "16(x3),8",
                             text);
        n += repeat;
        if (n >= MAPCORE_NONE)
            return error_set(err, MAPCORE_EPARSE,
                             "slots '%.100s' speak of too many nodes", text);
        for (uint32_t k = 0; slots && k < repeat; k++)
            *slots++ = count;
    } while (*p != '\0');
    *nhosts = (uint32_t)n;
    return 0;
}

int mapcore_slots_parse(uint32_t *slots,
                        uint32_t nhosts,
                        const char *text,
                        struct mapcore_error *err)
{
    uint32_t n = 0;
    int error = read_counts(NULL, &n, text, err);

    if (error < 0)
        return error;
    /* One number without a count of hosts holds for every host. */
    if (text[strspn(text, "0123456789")] == '\0') {
        for (uint32_t h = 0; error == 0 && h < nhosts; h++)
            error = read_counts(&slots[h], &n, text, err);
        return error;
    }
    return n == nhosts
               ? read_counts(slots, &n, text, err)
               : error_set(err, MAPCORE_EINVAL,
                           "slots '%.100s' speak of %u node%s, and there %s %u",
                           text, n, text_plural(n), nhosts == 1 ? "is" : "are",
                           nhosts);
}
