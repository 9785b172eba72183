/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* buffer.h - a string that grows while it is written */
#ifndef MAPCORE_BASE_BUFFER_H
#define MAPCORE_BASE_BUFFER_H

#include "base/error_set.h"

/* Starts as all zero but for err, which may be NULL; bytes[n] is NUL once
 * something was written, NULL before. Ended by buffer_clear, which leaves an
 * empty one. */
struct buffer {
    char *bytes;
    size_t n, capacity;
    struct mapcore_error *err;
    int error; /* the first that appending met, so that one look does for many;
                  else 0 */
};

/* Both append, and leave the buffer as it was on failure, and once one failed.
 * They return buffer->error. Errors: ENOMEM; buffer_printf also EINVAL (a
 * format that printf refuses). */
int buffer_printf(struct buffer *buffer, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
int buffer_append(struct buffer *buffer, const void *bytes, size_t n);

/* Hands the string over to the caller, who ends it by free(), and leaves an
 * empty buffer; NULL when nothing was ever written. */
char *buffer_steal(struct buffer *buffer);
/* Ends a buffer that was filled to be *out, which is left alone after an error,
 * this one or the buffer's; returns which. */
int buffer_finish(char **out, struct buffer *buffer, int error);
void buffer_clear(struct buffer *buffer);

/* Appends word[n], in single quotes where a shell would see more in it than a
 * word, or nothing. Returns buffer->error. */
int shell_quote(struct buffer *out, const char *word, size_t n);

#endif
