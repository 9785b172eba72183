/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* buffer.c - a string that grows while it is written */
#include "config.h"

#include "base/buffer.h"

#include "base/array.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Room for n more bytes and the NUL behind them. */
static int reserve(struct buffer *buffer, struct mapcore_error *err, size_t n)
{
    size_t need;

    if (__builtin_add_overflow(buffer->n, n, &need) ||
        __builtin_add_overflow(need, (size_t)1, &need))
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    return array_reserve(&buffer->bytes, &buffer->capacity, need, 1, err);
}

int buffer_printf(struct buffer *buffer,
                  struct mapcore_error *err,
                  const char *format,
                  ...)
{
    va_list ap, again;
    int error;

    va_start(ap, format);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, format, ap);
    va_end(ap);
    if (n < 0) {
        error = error_set(err, MAPCORE_EINVAL, "text cannot be formatted");
        goto out;
    }
    error = reserve(buffer, err, (size_t)n);
    if (error < 0)
        goto out;
    vsnprintf(buffer->bytes + buffer->n, (size_t)n + 1, format, again);
    buffer->n += (size_t)n;
out:
    va_end(again);
    return error;
}

int buffer_append(struct buffer *buffer,
                  struct mapcore_error *err,
                  const void *bytes,
                  size_t n)
{
    int error = reserve(buffer, err, n);

    if (error < 0)
        return error;
    if (n > 0)
        memcpy(buffer->bytes + buffer->n, bytes, n);
    buffer->n += n;
    buffer->bytes[buffer->n] = '\0';
    return 0;
}

char *buffer_steal(struct buffer *buffer)
{
    char *bytes = buffer->bytes;

    *buffer = (struct buffer){0};
    return bytes;
}

int buffer_finish(char **out, struct buffer *buffer, int error)
{
    if (error == 0)
        *out = buffer_steal(buffer);
    buffer_clear(buffer);
    return error;
}

void buffer_clear(struct buffer *buffer)
{
    free(buffer->bytes);
    *buffer = (struct buffer){0};
}

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
