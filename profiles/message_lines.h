/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* message_lines.h - a profile's file `messages`, line by line */
#ifndef PROFILES_MESSAGE_LINES_H
#define PROFILES_MESSAGE_LINES_H

#include "base/error.h"
#include "base/text.h"

/* "type from to smallest count bytes": count messages, of `smallest` bytes or
 * more and less than twice that, which have so many bytes together. */
struct message_line {
    const char *type;  /* until the next line is read */
    uint32_t from, to; /* below the number of tasks */
    uint64_t smallest, count, bytes;
};
typedef int message_line_take(void *arg,
                              const struct message_line *line,
                              struct mapcore_error *err);

/* Gives each line of the text, comments apart, to take; what that returns, if
 * it is below 0, ends it. Errors: EPARSE with file and line, and those of take.
 */
int message_lines_read(struct text *text,
                       uint32_t ntasks,
                       message_line_take *take,
                       void *arg,
                       struct mapcore_error *err);

#endif
