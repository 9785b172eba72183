/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* message_lines.h - a profile's file `messages`, line by line, and its comments
 * in which order tasks first sent to each other */
#ifndef PROFILES_MESSAGE_LINES_H
#define PROFILES_MESSAGE_LINES_H

#include "base/error.h"
#include "base/text.h"

/* "type from to smallest count bytes": count messages, of `smallest` bytes or
 * more and less than twice that, which have these bytes together. */
struct message_line {
    const char *type;  /* until the next line is read */
    uint32_t from, to; /* below the number of tasks */
    uint64_t smallest, count, bytes;
};
typedef int message_line_take(void *arg,
                              const struct message_line *line,
                              struct mapcore_error *err);

/* Gives each line of the text, comments apart, to take (NULL: they are only
 * judged); what that returns, if it is below 0, ends it. Errors: EPARSE with
 * file and line, and those of take. */
int message_lines_read(struct text *text,
                       uint32_t ntasks,
                       message_line_take *take,
                       void *arg);

/* Stages count from 0; what comes later is in the last one. */
enum { MESSAGE_ORDER_STAGES = 255 };

/* "#order type from stage to to ...": in its stage of that number the task
 * `from` sent to each `to` for the first time. A reader that does not
 * know these lines passes them over. */
struct message_order {
    const char *type;  /* until the next line is read */
    uint32_t from, to; /* below the number of tasks */
    uint32_t stage;    /* below MESSAGE_ORDER_STAGES */
};
typedef int message_order_take(void *arg,
                               const struct message_order *order,
                               struct mapcore_error *err);

/* Gives each pair of such lines of the text to take (or NULL), and passes over
 * all others; what take returns, if it is below 0, ends it. Errors: EPARSE,
 * ERANGE (a stage), both with file and line, and those of take. */
int message_order_read(struct text *text,
                       uint32_t ntasks,
                       message_order_take *take,
                       void *arg);

#endif
