/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* xml_text.c - escapes what others wrote: names of hosts, programs and files */
#include "config.h"

#include "tools/draw/svg/xml_text.h"

#include "base/printable.h"

#include <stdbool.h>

static const char *escape_of(char c)
{
    switch (c) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

/* U+200E, U+202A to U+202E, U+2066 to U+2069 turn what stands behind them. */
static bool is_shown(uint32_t point)
{
    return point >= 0x20 && (point < 0x7f || point > 0x9f) &&
           (point < 0x200e || point > 0x200f) &&
           (point < 0x2028 || point > 0x202e) &&
           (point < 0x2066 || point > 0x2069) && (point & 0xfffe) != 0xfffe;
}

void xml_text_write(FILE *file, const char *text)
{
    size_t n;

    for (; *text != '\0'; text += n > 0 ? n : 1) {
        const char *escape = escape_of(*text);

        n = utf8_length(text);
        if (escape)
            fputs(escape, file);
        else if (n > 0 && is_shown(utf8_code_point(text, n)))
            fwrite(text, 1, n, file);
        else
            putc('?', file);
    }
}
