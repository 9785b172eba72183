/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_quote.c - quotes what a shell would take apart */
#include "config.h"

#include "base/shell_quote.h"

#include <stdbool.h>
#include <string.h>

int shell_quote(struct buffer *out,
                struct mapcore_error *err,
                const char *word,
                size_t n)
{
    static const char special[] = " \t\n'\"\\$`*?[]{}()<>|&;!~#";
    bool plain = n > 0 && strcspn(word, special) >= n;
    int error = plain ? 0 : buffer_append(out, err, "'", 1);

    for (size_t i = 0; error == 0 && i < n; i++)
        error = word[i] == '\'' ? buffer_append(out, err, "'\\''", 4)
                                : buffer_append(out, err, word + i, 1);
    return error < 0 || plain ? error : buffer_append(out, err, "'", 1);
}
