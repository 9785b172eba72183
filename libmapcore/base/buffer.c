/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* buffer.c - a string that grows while it is written */
#include "config.h"

#include "base/buffer.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more bytes and the NUL behind them. */
static int reserve(struct buffer *buffer, size_t n)
{
    size_t need;

    if (buffer->error < 0)
        return buffer->error;
    if (__builtin_add_overflow(buffer->n, n, &need) ||
        __builtin_add_overflow(need, (size_t)1, &need))
        buffer->error = error_set(buffer->err, MAPCORE_ENOMEM, "out of memory");
    else
        buffer->error = array_reserve(&buffer->bytes, &buffer->capacity, need,
                                      1, buffer->err);
    return buffer->error;
}

int buffer_printf(struct buffer *buffer, const char *format, ...)
{
    va_list ap, again;

    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0 && buffer->error == 0)
        buffer->error =
            error_set(buffer->err, MAPCORE_EINVAL, "text cannot be formatted");
    if (n >= 0 && reserve(buffer, (size_t)n) == 0) {
        vsnprintf(buffer->bytes + buffer->n, (size_t)n + 1, format, again);
        buffer->n += (size_t)n;
    }
    va_end(again);
    return buffer->error;
}

int buffer_append(struct buffer *buffer, const void *bytes, size_t n)
{
    if (reserve(buffer, n) < 0)
        return buffer->error;
    if (n > 0)
        memcpy(buffer->bytes + buffer->n, bytes, n);
    buffer->n += n;
    buffer->bytes[buffer->n] = '\0';
    return 0;
}

char *buffer_steal(struct buffer *buffer)
{
    char *bytes = buffer->bytes;

    *buffer = (struct buffer){.err = buffer->err};
    return bytes;
}

int buffer_finish(char **out, struct buffer *buffer, int error)
{
    if (error == 0 && (error = buffer->error) == 0)
        *out = buffer_steal(buffer);
    buffer_clear(buffer);
    return error;
}

void buffer_clear(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){.err = buffer->err};
}

int shell_quote(struct buffer *out, const char *word, size_t n)
{
    static const char special[] = " \t\n'\"\\$`*?[]{}()<>|&;!~#";
    const size_t quotes = n == 0 || strcspn(word, special) < n;

    buffer_append(out, "'", quotes);
    for (size_t i = 0; i < n; i++)
        if (word[i] == '\'')
            buffer_append(out, "'\\''", 4);
        else
            buffer_append(out, word + i, 1);
    return buffer_append(out, "'", quotes);
}
