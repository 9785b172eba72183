/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* utf8.h - where characters begin and end in text that may be no UTF-8 */
#ifndef BASE_UTF8_H
#define BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

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
