/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* printable.c - text of others made fit for a terminal, which obeys control
 * characters */
#include "config.h"

#include "base/printable.h"

#include "base/utf8.h"

#include <stdbool.h>
#include <string.h>

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

size_t printable_write_escaped(FILE *file,
                               const char *text,
                               const char *special,
                               char escape)
{
    size_t written = 0;

    while (*text != '\0') {
        bool is_control;
        size_t n = next_character(text, &is_control);

        if (strchr(special, *text)) {
            fputc(escape, file);
            written++;
        }
        if (is_control) {
            fputc('?', file);
            written++;
        } else {
            written += fwrite(text, 1, n, file);
        }
        text += n;
    }
    return written;
}

size_t printable_write(FILE *file, const char *text)
{
    return printable_write_escaped(file, text, "", '\0');
}
