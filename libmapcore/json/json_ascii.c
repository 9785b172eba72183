/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_ascii.c - JSON without a byte above 0x7f: json-c 0.18 takes every one
 * for invalid in its strict mode, which 0.17 and 0.19 do not */
#include "config.h"

#include "json/json_ascii.h"

#include "base/printable.h"

#include <stdbool.h>
#include <string.h>

int json_ascii(struct buffer *out,
               const char *bytes,
               size_t n,
               struct mapcore_error *err)
{
    char escape[UTF8_ESCAPE], character[5];
    bool is_escaped = false;
    size_t plain = 0; /* where what is copied as it is begins */
    int error = 0;

    for (size_t i = 0; error == 0 && i < n;) {
        size_t length = 1;

        if ((unsigned char)bytes[i] >= 0x80 && !is_escaped) {
            size_t most = n - i < 4 ? n - i : 4;

            memcpy(character, bytes + i, most);
            character[most] = '\0';
            length = utf8_length(character);
        }
        if (length > 1) {
            error = buffer_append(out, err, bytes + plain, i - plain);
            utf8_escape(escape, character, length);
            if (error == 0)
                error = buffer_append(out, err, escape, strlen(escape));
            plain = i + length;
        }
        is_escaped = bytes[i] == '\\' && !is_escaped;
        i += length > 0 ? length : 1;
    }
    return error < 0 ? error
                     : buffer_append(out, err, bytes + plain, n - plain);
}
