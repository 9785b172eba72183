/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* intel.c - statistics of Intel's Trace Collector, by stftool
 * --print-statistics: lines of fields between colons, as "Collecting
 * Lightweight Statistics" of its User and Reference Guide has them */
#include "config.h"

#include "graph/file/run.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIELDS = 12, /* sender, function, receiver, size, processes, count, and
                    least, most and sum of two times */
    SENDER = 0,
    RECEIVER = 2,
    SIZE = 3,
    COUNT = 5,
};
/* In place of a receiver: files are written, or a collective is called; and
 * where a message has no size. */
#define NO_RECEIVER 0xfffffffeu

struct intel {
    struct run run;
    bool has_messages;
};

/* Decimal, or hexadecimal with 0x; false: neither. */
static bool take_number(const char *field, uint64_t *out)
{
    char *end;

    if (strncmp(field, "0x", 2) != 0)
        return text_parse_u64(field, out);
    *out = strtoull(field + 2, &end, 16);
    return field[2] != '\0' && *end == '\0';
}

/* Fields of a line, whose blanks around them mean nothing; how many. */
static int split(char *field[FIELDS + 1], char *line)
{
    int n = 0;

    for (char *at = line; at && n <= FIELDS; n++) {
        char *colon = strchr(at, ':');
        size_t length;

        if (colon)
            *colon++ = '\0';
        at += strspn(at, " \t");
        length = strcspn(at, " \t\r");
        at[length] = '\0';
        field[n] = at;
        at = colon;
    }
    return n;
}

static int add_line(struct intel *intel,
                    struct text *text,
                    char *line,
                    struct mapcore_error *err)
{
    char *field[FIELDS + 1];
    uint64_t from, to, size, count, bytes;

    if (split(field, line) != FIELDS)
        return text_error(text, err, MAPCORE_EPARSE,
                          "expected 12 fields between colons, as stftool "
                          "--print-statistics prints them");
    if (!take_number(field[SENDER], &from) || from >= MAPCORE_NONE - 1)
        return text_error(text, err, MAPCORE_EPARSE, "'%.40s' is no process",
                          field[SENDER]);
    if (from >= intel->run.ntasks)
        intel->run.ntasks = (uint32_t)from + 1;
    if (*field[RECEIVER] == '\0') /* a function that sends nothing */
        return 0;
    if (!take_number(field[RECEIVER], &to) ||
        !take_number(field[SIZE], &size) || !take_number(field[COUNT], &count))
        return text_error(text, err, MAPCORE_EPARSE,
                          "a receiver, a size or a count that is no number");
    if (to >= NO_RECEIVER || size >= NO_RECEIVER)
        return 0;
    if (__builtin_mul_overflow(size, count, &bytes))
        return text_error(text, err, MAPCORE_ERANGE,
                          "more bytes than there can be");
    if (to >= intel->run.ntasks)
        intel->run.ntasks = (uint32_t)to + 1;
    intel->has_messages = true;
    return edges_add(&intel->run.edges, (uint32_t)from, (uint32_t)to, bytes,
                     text, err);
}

static int add(void *state, struct text *text, struct mapcore_error *err)
{
    char *line;
    int error;

    while ((error = text_line(text, &line, err)) == 0 && line)
        if (!text_at_end(line) && *line != '#' &&
            (error = add_line(state, text, line, err)) < 0)
            return error;
    return error;
}

static int finish(void *state, struct mapcore_error *err)
{
    const struct intel *intel = state;

    return intel->has_messages
               ? 0
               : error_set(err, MAPCORE_EPARSE,
                           "%s: no message between two processes in it",
                           intel->run.name);
}

const struct run_format run_intel = {
    .about = "statistics of Intel's Trace Collector",
    .prefix = "",
    .suffix = ".stats",
    .size = sizeof(struct intel),
    .add = add,
    .finish = finish,
};
