/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* printable.c - text of others, character by character */
#include "config.h"

#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

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

/* The bytes of the character that begins here, and whether it is a control
 * character. */
static size_t next_character(const char *text, bool *is_control)
{
    size_t n = utf8_length(text);
    uint32_t code = n > 0 ? utf8_code_point(text, n) : (unsigned char)*text;

    *is_control = code < 0x20 || (code >= 0x7f && code < 0xa0);
    return n > 0 ? n : 1;
}

void printable_clean(char *text)
{
    char *end = text;

    while (*text != '\0') {
        bool is_control;
        size_t n = next_character(text, &is_control);

        if (is_control)
            *end++ = '?';
        else {
            memmove(end, text, n);
            end += n;
        }
        text += n;
    }
    *end = '\0';
}

size_t printable_write(FILE *file, const char *text)
{
    size_t written = 0;

    while (*text != '\0') {
        bool is_control;
        size_t n = next_character(text, &is_control);

        written +=
            is_control ? fwrite("?", 1, 1, file) : fwrite(text, 1, n, file);
        text += n;
    }
    return written;
}
