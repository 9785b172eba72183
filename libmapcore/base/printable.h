/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* printable.h - text of others made fit for a terminal, which obeys control
 * characters; where its characters begin and end */
#ifndef BASE_PRINTABLE_H
#define BASE_PRINTABLE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Puts a ? in the place of every control character: those below U+0020 (newline
 * and tab, too), U+007F, and U+0080 to U+009F, which some terminals also obey
 * as single bytes outside of UTF-8. All else stays as it is, letters and bytes
 * that are no UTF-8. */
void printable_clean(char *text);

/* Writes the text so; returns how many bytes that came to. */
size_t printable_write(FILE *file, const char *text);

/* The length of the UTF-8 sequence that begins a string (Unicode 15, table
 * 3-7), 1 to 4; 0 when none does. The string's NUL is a sequence of 1. */
size_t utf8_length(const char *string);

/* The code point of the sequence of that length, which is not 0. */
uint32_t utf8_code_point(const char *string, size_t length);

/* That sequence as JSON escapes it, "\u00e9", in two parts (surrogates) above
 * U+FFFF, into out[UTF8_ESCAPE]. */
#define UTF8_ESCAPE 13
void utf8_escape(char *out, const char *string, size_t length);

#endif
