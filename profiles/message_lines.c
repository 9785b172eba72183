/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* message_lines.c - reads what the recorder's write.c has written */
#include "config.h"

#include "profiles/message_lines.h"

#include <inttypes.h>

static int take_line(struct message_line *out,
                     const struct text *text,
                     char *line,
                     uint32_t ntasks,
                     struct mapcore_error *err)
{
    char *cursor = line;
    bool overflow;

    out->type = text_take_word(&cursor);
    if (!out->type || !text_take_u32(&cursor, &out->from, &overflow) ||
        !text_take_u32(&cursor, &out->to, &overflow) ||
        !text_take_u64(&cursor, &out->smallest, &overflow) ||
        !text_take_u64(&cursor, &out->count, &overflow) ||
        !text_take_u64(&cursor, &out->bytes, &overflow) || !text_at_end(cursor))
        return text_error(text, err, MAPCORE_EPARSE,
                          "expected: type from to smallest count bytes");
    if (out->from >= ntasks || out->to >= ntasks)
        return text_error(text, err, MAPCORE_EPARSE,
                          "there are %" PRIu32 " tasks, counted from 0",
                          ntasks);
    return 0;
}

int message_lines_read(struct text *text,
                       uint32_t ntasks,
                       message_line_take *take,
                       void *arg,
                       struct mapcore_error *err)
{
    struct message_line message;
    char *line;
    int error = 0;

    while (error == 0 && (error = text_line(text, &line, err)) == 0 && line) {
        if (*line == '#' || text_at_end(line))
            continue;
        error = take_line(&message, text, line, ntasks, err);
        if (error == 0)
            error = take(arg, &message, err);
    }
    return error;
}
