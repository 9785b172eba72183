/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* runs.c - sequences of small numbers as text: v, v*count, a..b; shared by the
 * plan, the facts and the slots */
#include "config.h"

#include "launch/runs.h"

#include "base/buffer.h"
#include "base/text.h"

#include <stdbool.h>

static uint32_t equal_run(const uint32_t *values, uint32_t n)
{
    uint32_t length = 1;

    while (length < n && values[length] == values[0])
        length++;
    return length;
}

static uint32_t ascending_run(const uint32_t *values, uint32_t n)
{
    uint32_t length = 1;

    while (length < n && values[length - 1] != UINT32_MAX &&
           values[length] == values[length - 1] + 1)
        length++;
    return length;
}

int runs_format(char **out,
                const uint32_t *values,
                uint32_t count,
                struct mapcore_error *err)
{
    struct buffer buffer = {.err = err};

    buffer_append(&buffer, "", 0);
    for (uint32_t i = 0, n; i < count; i += n) {
        const uint32_t equal = equal_run(values + i, count - i),
                       ascending = ascending_run(values + i, count - i);
        const char *comma = i > 0 ? "," : "";

        n = equal > 1 ? equal : ascending > 2 ? ascending : 1;
        if (equal > 1)
            buffer_printf(&buffer, "%s%u*%u", comma, values[i], n);
        else if (n > 1)
            buffer_printf(&buffer, "%s%u..%u", comma, values[i],
                          values[i] + n - 1);
        else
            buffer_printf(&buffer, "%s%u", comma, values[i]);
    }
    return buffer_finish(out, &buffer, 0);
}

/* One item as value, how often, and what each adds; false on bad text. */
static bool take_item(const char **cursor,
                      uint64_t *value,
                      uint64_t *times,
                      uint32_t *step)
{
    uint64_t last;

    *times = 1;
    *step = 0;
    if (!text_take_digits(cursor, UINT32_MAX, value))
        return false;
    if (**cursor == '*') {
        ++*cursor;
        return text_take_digits(cursor, UINT32_MAX, times) && *times > 0;
    }
    if ((*cursor)[0] == '.' && (*cursor)[1] == '.') {
        *cursor += 2;
        if (!text_take_digits(cursor, UINT32_MAX, &last) || last < *value)
            return false;
        *times = last - *value + 1;
        *step = 1;
    }
    return true;
}

int runs_parse(uint32_t *values,
               uint32_t count,
               const char *text,
               struct mapcore_error *err)
{
    const char *cursor = text;
    uint32_t filled = 0;

    while (*cursor != '\0') {
        uint64_t value, times;
        uint32_t step;

        if (!take_item(&cursor, &value, &times, &step) ||
            (*cursor != '\0' && *cursor != ','))
            return error_set(err, MAPCORE_EPARSE,
                             "not a list of numbers: \"%.32s\"", cursor);
        if (times > count - filled)
            return error_set(err, MAPCORE_ERANGE,
                             "more than %u numbers in a list", count);
        for (uint64_t i = 0; i < times; i++)
            values[filled++] = (uint32_t)(value + step * i);
        if (*cursor == ',' && *++cursor == '\0')
            return error_set(err, MAPCORE_EPARSE, "a list ends with a comma");
    }
    if (filled != count)
        return error_set(err, MAPCORE_ERANGE,
                         "%u numbers in a list instead of %u", filled, count);
    return 0;
}
