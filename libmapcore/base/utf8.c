/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* utf8.c - where characters begin and end in text that may be no UTF-8 */
#include "config.h"

#include "base/utf8.h"

#include <stdio.h>

size_t utf8_length(const char *string)
{
    const unsigned char *p = (const unsigned char *)string;
    unsigned char low = 0x80, high = 0xbf;
    size_t n;

    if (p[0] < 0x80)
        return 1;
    if (p[0] < 0xc2 || p[0] > 0xf4)
        return 0;
    n = p[0] < 0xe0 ? 2 : p[0] < 0xf0 ? 3 : 4;
    if (p[0] == 0xe0)
        low = 0xa0;
    else if (p[0] == 0xed)
        high = 0x9f;
    else if (p[0] == 0xf0)
        low = 0x90;
    else if (p[0] == 0xf4)
        high = 0x8f;
    if (p[1] < low || p[1] > high)
        return 0;
    for (size_t i = 2; i < n; i++)
        if (p[i] < 0x80 || p[i] > 0xbf)
            return 0;
    return n;
}

uint32_t utf8_code_point(const char *string, size_t length)
{
    static const unsigned char first_bits[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    const unsigned char *p = (const unsigned char *)string;
    uint32_t code = p[0] & first_bits[length];

    for (size_t i = 1; i < length; i++)
        code = code << 6 | (p[i] & 0x3f);
    return code;
}

void utf8_escape(char *out, const char *string, size_t length)
{
    unsigned code = utf8_code_point(string, length);

    if (code < 0x10000)
        snprintf(out, UTF8_ESCAPE, "\\u%04x", (uint16_t)code);
    else
        snprintf(out, UTF8_ESCAPE, "\\u%04x\\u%04x",
                 (uint16_t)(0xd800 + ((code - 0x10000) >> 10)),
                 (uint16_t)(0xdc00 + ((code - 0x10000) & 0x3ff)));
}
