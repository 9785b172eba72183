/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slot_counts.c - Slurm's short form of counts per host: 16(x3),8 */
#include "config.h"

#include "alloc/alloc.h"

#include "base/text.h"

#include <string.h>

static bool take_number(const char **p, uint32_t *out)
{
    uint64_t value = 0;
    const bool found = text_take_digits(p, MAPCORE_NONE - 1, &value);

    *out = (uint32_t)value;
    return found;
}

/* One item, N or N(xR), and the comma behind it. */
static int take_item(const char **p,
                     const char *text,
                     uint32_t *count,
                     uint32_t *repeat,
                     struct mapcore_error *err)
{
    bool good = take_number(p, count);

    *repeat = 1;
    if (good && **p == '(') {
        ++*p;
        good = *(*p)++ == 'x' && take_number(p, repeat) && *(*p)++ == ')' &&
               *repeat > 0;
    }
    if (good && **p == ',') {
        ++*p;
        good = **p != '\0';
    } else {
        good = good && **p == '\0';
    }
    if (!good)
        return error_set(err, MAPCORE_EPARSE,
                         "slots '%.100s' are not of the form N or 16(x3),8",
                         text);
    return 0;
}

/* How many hosts it speaks of, 1 for a single number. */
static int count_hosts(uint32_t *nhosts,
                       const char *text,
                       struct mapcore_error *err)
{
    const char *p = text;
    uint64_t n = 0;

    do {
        uint32_t count, repeat;
        int error = take_item(&p, text, &count, &repeat, err);

        if (error < 0)
            return error;
        n += repeat;
        if (n >= MAPCORE_NONE)
            return error_set(err, MAPCORE_EPARSE,
                             "slots '%.100s' speak of too many nodes", text);
    } while (*p != '\0');
    *nhosts = (uint32_t)n;
    return 0;
}

int mapcore_slots_parse(uint32_t *slots,
                        uint32_t nhosts,
                        const char *text,
                        struct mapcore_error *err)
{
    const char *p = text;
    uint32_t n = 0, next = 0;
    int error = count_hosts(&n, text, err);

    if (error < 0)
        return error;
    /* One number without a count of hosts holds for every host. */
    bool single = text[strspn(text, "0123456789")] == '\0';
    if (!single && n != nhosts)
        return error_set(err, MAPCORE_EINVAL,
                         "slots '%.100s' speak of %u node%s, and there %s %u",
                         text, n, text_plural(n), nhosts == 1 ? "is" : "are",
                         nhosts);
    do {
        uint32_t count, repeat;

        error = take_item(&p, text, &count, &repeat, err);
        if (error < 0)
            return error;
        for (uint32_t k = 0; k < (single ? nhosts : repeat); k++)
            slots[next++] = count;
    } while (*p != '\0');
    return 0;
}
