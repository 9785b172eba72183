/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_line_help.c - what a table of options says of itself, as JSON, of
 * which tools/tables/helptext.py makes --help and what a shell's completion
 * reads
 */
#include "config.h"

#include "tools/common/command_line.h"

#include "tools/common/script.h"
#include "json/json_fields.h"

#include <inttypes.h>
#include <string.h>

static const struct json_field row_fields[] = {
    JSON_MEMBER(option_row, name, JSON_WRITTEN),
    JSON_MEMBER(option_row, argument, JSON_WRITTEN),
    JSON_MEMBER(option_row, verbs, JSON_WRITTEN),
    JSON_MEMBER(option_row, required, JSON_WRITTEN),
    JSON_MEMBER(option_row, may_stand_alone, JSON_WRITTEN),
};

/* The value that stands at `at`, where --help tells it. */
static void put_default(struct json_writer *writer,
                        const struct option_row *row,
                        const char *at)
{
    char text[32] = "";
    uint32_t count;
    uint64_t count64;
    double number;
    int value;

    if (!row->shows_default)
        return;
    if (row->kind == OPTION_COUNT) {
        memcpy(&count, at, sizeof(count));
        snprintf(text, sizeof(text), "%u", count);
    } else if (row->kind == OPTION_COUNT64) {
        memcpy(&count64, at, sizeof(count64));
        snprintf(text, sizeof(text), "%" PRIu64, count64);
    } else if (row->kind == OPTION_NUMBER) {
        memcpy(&number, at, sizeof(number));
        snprintf(text, sizeof(text), "%g", number);
    }
    memcpy(&value, at, sizeof(value));
    for (const struct option_word *word = row->words; word && word->name;
         word++)
        if (word->value == value)
            snprintf(text, sizeof(text), "%s", word->name);
    json_put_string(writer, "default", text);
}

/* values: where they stand before parsing; NULL: of operands. */
static void put_rows(struct json_writer *writer,
                     const struct option_row *row,
                     const char *values)
{
    for (; row && row->name; row++) {
        const char letter[] = {row->letter, '\0'};

        json_begin_object(writer, NULL);
        json_write_fields(writer, row, JSON_FIELDS(row_fields));
        json_put_string(writer, "letter", letter);
        json_put_bool(writer, "is_list", row->kind == OPTION_LIST);
        json_begin_array(writer, "words");
        for (const struct option_word *word = row->words; word && word->name;
             word++) {
            if (word->hidden)
                continue;
            json_begin_array(writer, NULL);
            json_put_string(writer, NULL, word->name);
            json_put_string(writer, NULL, word->gloss);
            json_end_array(writer);
        }
        json_end_array(writer);
        if (values)
            put_default(writer, row, values + row->offset);
        json_end_object(writer);
    }
}

static void put_line(struct json_writer *writer,
                     const struct command_line *line,
                     const char *values)
{
    json_begin_object(writer, NULL);
    json_put_string(writer, "name", line->name);
    json_put_string(writer, "site_file", TOPOMAP_SITEFILE);
    json_begin_array(writer, "operands");
    put_rows(writer, line->operands, NULL);
    json_end_array(writer);
    json_begin_array(writer, "verbs");
    for (size_t i = 0; line->verbs && line->verbs[i].name; i++) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "name", line->verbs[i].name);
        json_begin_array(writer, "operands");
        put_rows(writer, line->verbs[i].operands, NULL);
        json_end_array(writer);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_begin_array(writer, "options");
    for (int g = 0; g < OPTIONS_MAX_GROUPS && line->groups[g].rows; g++)
        put_rows(writer, line->groups[g].rows, values + line->groups[g].base);
    json_end_array(writer);
    json_end_object(writer);
}

int command_line_tell(const struct command_line *line,
                      const void *out,
                      const char *view)
{
    struct script_document document;
    struct buffer text = {0};
    struct mapcore_error err;
    struct json_writer *writer = script_document_begin(&document);
    int error;

    put_line(writer, line, out);
    error = script_document_end(&document, &text, "tables",
                                (const char *const[]){view, NULL}, 0, &err);
    if (error == 0)
        fwrite(text.bytes, 1, text.n, stdout);
    buffer_clear(&text);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
