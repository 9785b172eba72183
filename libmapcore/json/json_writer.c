/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_writer.c - JSON written to a stream, without building a document in
 * memory first, and with null for what JSON has no number for: NaN, infinity */
#include "config.h"

#include "json/json.h"

#include "base/printable.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 64

void json_writer_start(struct json_writer *writer, FILE *file)
{
    *writer = (struct json_writer){.file = file};
}

void json_writer_start_lines(struct json_writer *writer, FILE *file)
{
    *writer = (struct json_writer){.file = file, .is_lines = true};
}

static bool in_array(const struct json_writer *writer)
{
    return (writer->arrays >> (writer->depth - 1) & 1) != 0;
}

static void put(struct json_writer *writer, const char *text)
{
    if (writer->file)
        fputs(text, writer->file);
}

static void new_line(struct json_writer *writer)
{
    if (writer->is_lines)
        return;
    put(writer, "\n");
    for (unsigned i = 0; i < writer->depth; i++)
        put(writer, "  ");
}

/* In ASCII alone: json-c 0.18 takes nothing else in its strict mode, and no
 * terminal obeys what it does not see. */
static void write_string(FILE *file, const char *string)
{
    char escape[UTF8_ESCAPE];

    if (!file)
        return;
    fputc('"', file);
    while (*string) {
        size_t n = utf8_length(string);
        unsigned char c = (unsigned char)*string;

        if (n == 0) {
            fputs("\\ufffd", file);
        } else if (c == '"' || c == '\\') {
            fprintf(file, "\\%c", c);
        } else if (c == '\n') {
            fputs("\\n", file);
        } else if (c == '\t') {
            fputs("\\t", file);
        } else if (c < 0x20 || c >= 0x7f) {
            utf8_escape(escape, string, n);
            fputs(escape, file);
        } else {
            putc_unlocked(c, file);
        }
        string += n > 0 ? n : 1;
    }
    fputc('"', file);
}

/* What stands before a value: comma, line, key. */
static void lead_in(struct json_writer *writer, const char *key)
{
    if (writer->depth > 0) {
        assert((!key) == in_array(writer));
        if (writer->behind_value)
            put(writer, writer->is_lines ? ", " : ",");
        new_line(writer);
    }
    if (key) {
        write_string(writer->file, key);
        put(writer, ": ");
    }
    writer->behind_value = true;
}

static void begin(struct json_writer *writer, const char *key, bool array)
{
    lead_in(writer, key);
    assert(writer->depth < DEPTH_MAX);
    put(writer, array ? "[" : "{");
    writer->arrays &= ~((uint64_t)1 << writer->depth);
    writer->arrays |= (uint64_t)array << writer->depth;
    writer->depth++;
    writer->behind_value = false;
}

static void end(struct json_writer *writer, bool array)
{
    bool empty = !writer->behind_value;

    assert(writer->depth > 0 && in_array(writer) == array);
    writer->depth--;
    if (!empty)
        new_line(writer);
    put(writer, array ? "]" : "}");
    writer->behind_value = true;
}

void json_begin_object(struct json_writer *writer, const char *key)
{
    begin(writer, key, false);
}

void json_end_object(struct json_writer *writer)
{
    end(writer, false);
}

void json_begin_array(struct json_writer *writer, const char *key)
{
    begin(writer, key, true);
}

void json_end_array(struct json_writer *writer)
{
    end(writer, true);
}

void json_put_string(struct json_writer *writer,
                     const char *key,
                     const char *string)
{
    lead_in(writer, key);
    if (string)
        write_string(writer->file, string);
    else
        put(writer, "null");
}

void json_put_u64(struct json_writer *writer, const char *key, uint64_t number)
{
    char text[24];

    lead_in(writer, key);
    snprintf(text, sizeof(text), "%" PRIu64, number);
    put(writer, text);
}

void json_put_double(struct json_writer *writer, const char *key, double number)
{
    locale_t plain, held;
    char text[40];

    lead_in(writer, key);
    if (!isfinite(number)) {
        put(writer, "null");
        return;
    }
    /* The C library has this one ready; nothing is allocated. */
    plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    held = plain ? uselocale(plain) : (locale_t)0;
    /* The fewest digits that give it back. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof(text), "%.*g", digits, number);
        if (strtod(text, NULL) == number)
            break;
    }
    put(writer, text);
    if (plain) {
        uselocale(held);
        freelocale(plain);
    }
}

void json_put_bool(struct json_writer *writer, const char *key, bool truth)
{
    lead_in(writer, key);
    put(writer, truth ? "true" : "false");
}

void json_put_null(struct json_writer *writer, const char *key)
{
    lead_in(writer, key);
    put(writer, "null");
}

static void end_all(struct json_writer *writer)
{
    while (writer->depth > 0)
        end(writer, in_array(writer));
}

void json_end_line(struct json_writer *writer)
{
    assert(writer->is_lines);
    end_all(writer);
    put(writer, "\n");
    writer->behind_value = false;
}

int json_writer_end(struct json_writer *writer, struct mapcore_error *err)
{
    end_all(writer);
    if (!writer->is_lines)
        put(writer, "\n");
    if (!writer->file)
        return error_set(err, MAPCORE_ENOMEM, "no memory for a document");
    errno = 0;
    if (fflush(writer->file) != 0 || ferror(writer->file))
        return error_set(err, MAPCORE_EIO, "cannot write JSON: %s",
                         strerror(errno != 0 ? errno : EIO));
    return 0;
}

void json_put_numbers(struct json_writer *writer,
                      const char *key,
                      const uint32_t *number,
                      uint32_t n)
{
    json_begin_array(writer, key);
    for (uint32_t i = 0; i < n; i++)
        json_put_u64(writer, NULL, number[i]);
    json_end_array(writer);
}
