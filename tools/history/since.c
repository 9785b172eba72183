/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* since.c - from when on: a day, or so long ago */
#include "config.h"

#include "tools/history/since.h"

#include "base/error_set.h"
#include "base/text.h"

#include <string.h>
#include <time.h>

/* In seconds; 0: no such unit. */
static double unit_of(char letter)
{
    switch (letter) {
    case 'h':
        return 3600;
    case 'd':
        return 86400;
    case 'w':
        return 7 * 86400;
    default:
        return 0;
    }
}

int since_take(void *at, const char *text, struct mapcore_error *err)
{
    double *out = at, unit;
    size_t n = strlen(text);
    char number[16] = "";
    struct tm tm = {0};
    const char *end = strptime(text, "%Y-%m-%d", &tm);
    uint64_t count;

    if (end && *end == '\0' && n == strlen("2026-11-01")) {
        *out = (double)timegm(&tm);
        return 0;
    }
    if (n >= 2 && n < sizeof(number)) {
        memcpy(number, text, n - 1);
        unit = unit_of(text[n - 1]);
        if (unit > 0 && text_parse_u64(number, &count) && count <= 1000000) {
            *out = (double)time(NULL) - unit * (double)count;
            return 0;
        }
    }
    return error_set(err, MAPCORE_EINVAL,
                     "expected a day such as 2026-11-01, or so long ago: 36h, "
                     "7d, 4w");
}
