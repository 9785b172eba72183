/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* message_lines.c - reads what the recorder has written, and its order */
#include "config.h"

#include "profiles/message_lines.h"

#include <string.h>

static int take_line(struct message_line *out,
                     const struct text *text,
                     char *line,
                     uint32_t ntasks)
{
    char *cursor = line;
    bool overflow;

    out->type = text_take_word(&cursor);
    if (!out->type || !text_take_u32(&cursor, &out->from, &overflow) ||
        !text_take_u32(&cursor, &out->to, &overflow) ||
        !text_take_u64(&cursor, &out->smallest, &overflow) ||
        !text_take_u64(&cursor, &out->count, &overflow) ||
        !text_take_u64(&cursor, &out->bytes, &overflow) || !text_at_end(cursor))
        return text_error(text, MAPCORE_EPARSE,
                          "expected: type from to smallest count bytes");
    if (out->from >= ntasks || out->to >= ntasks)
        return text_error(text, MAPCORE_EPARSE,
                          "there are %u tasks, counted from 0", ntasks);
    return 0;
}

int message_lines_read(struct text *text,
                       uint32_t ntasks,
                       message_line_take *take,
                       void *arg)
{
    struct message_line message;
    char *line;
    int error = 0;

    while (error == 0 && (error = text_line(text, &line)) == 0 && line) {
        if (*line == '#' || text_at_end(line))
            continue;
        error = take_line(&message, text, line, ntasks);
        if (error == 0 && take)
            error = take(arg, &message, text_err(text));
    }
    return error;
}

/* Behind the word: type, task, stage, and at least one task. */
static int take_order(const struct text *text,
                      char *cursor,
                      uint32_t ntasks,
                      message_order_take *take,
                      void *arg)
{
    struct message_order order = {.type = text_take_word(&cursor)};
    bool overflow;
    int error = 0;

    if (!order.type || !text_take_u32(&cursor, &order.from, &overflow) ||
        !text_take_u32(&cursor, &order.stage, &overflow) || text_at_end(cursor))
        return text_error(text, MAPCORE_EPARSE,
                          "expected: #order type from stage to ...");
    if (order.stage >= MESSAGE_ORDER_STAGES)
        return text_error(text, MAPCORE_ERANGE,
                          "there are %d stages, counted from 0",
                          MESSAGE_ORDER_STAGES);
    while (error == 0 && !text_at_end(cursor)) {
        if (!text_take_u32(&cursor, &order.to, &overflow))
            return text_error(text, MAPCORE_EPARSE,
                              "expected: #order type from stage to ...");
        if (order.from >= ntasks || order.to >= ntasks)
            return text_error(text, MAPCORE_EPARSE,
                              "there are %u tasks, counted from 0", ntasks);
        error = take ? take(arg, &order, text_err(text)) : 0;
    }
    return error;
}

int message_order_read(struct text *text,
                       uint32_t ntasks,
                       message_order_take *take,
                       void *arg)
{
    static const char word[] = "#order ";
    char *line;
    int error = 0;

    while (error == 0 && (error = text_line(text, &line)) == 0 && line)
        if (strncmp(line, word, sizeof(word) - 1) == 0)
            error =
                take_order(text, line + sizeof(word) - 1, ntasks, take, arg);
    return error;
}
