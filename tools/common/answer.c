/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* answer.c - a document of JSON as a table: all lines are read once for the
 * names of the columns, and once to be written */
#include "config.h"

#include "tools/common/answer.h"

#include "base/array.h"
#include "base/buffer.h"
#include "tools/common/csv.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 128 };

/* A column, and its value in the line that is being read. */
struct column {
    char name[NAME_MAX_BYTES];
    struct json_node value;
    bool is_set;
};

struct table {
    struct column *column;
    size_t n, capacity;
    size_t next; /* where the next value is looked for first */
    FILE *file;
};

struct json_writer *answer_begin(struct answer *out,
                                 FILE *file,
                                 const char *rows,
                                 struct mapcore_error *err)
{
    *out = (struct answer){.file = file, .rows = rows};
    if (rows && !(out->memory = open_memstream(&out->text, &out->n))) {
        error_set(err, MAPCORE_ENOMEM, "out of memory");
        return NULL;
    }
    json_writer_start(&out->writer, rows ? out->memory : file);
    return &out->writer;
}

static bool is_plain(const struct json_node *value)
{
    return !json_is_object(value) && !json_is_array(value);
}

/* Lines have the same members in the same order, but for those that some
 * lack. */
static int set_value(struct table *table,
                     const char *name,
                     const struct json_node *value,
                     struct mapcore_error *err)
{
    size_t i = table->next;
    struct column *grown;

    if (i >= table->n || strcmp(table->column[i].name, name) != 0)
        for (i = 0; i < table->n; i++)
            if (strcmp(table->column[i].name, name) == 0)
                break;
    if (i == table->capacity) {
        const size_t capacity = 2 * table->capacity + 16;

        grown = array_resize(table->column, capacity, sizeof(*grown), err);
        if (!grown)
            return MAPCORE_ENOMEM;
        table->column = grown;
        table->capacity = capacity;
    }
    if (i == table->n) {
        table->column[table->n++] = (struct column){.is_set = false};
        snprintf(table->column[i].name, NAME_MAX_BYTES, "%s", name);
    }
    table->column[i].value = *value;
    table->column[i].is_set = true;
    table->next = i + 1;
    return 0;
}

/* An array of plain values is one value. */
static bool is_value(const struct json_node *node)
{
    struct json_node first;

    return is_plain(node) ||
           (json_is_array(node) &&
            (json_count(node) == 0 ||
             (json_at(&first, node, 0, NULL) == 0 && is_plain(&first))));
}

/* All members of an object, and of those in it; prefix: "", or "baseline.". */
static int read_members(struct table *table,
                        const char *prefix,
                        const struct json_node *object,
                        struct mapcore_error *err)
{
    struct json_node value;
    const char *key;
    int error = 0;

    for (size_t i = 0; error == 0 && json_member(&value, &key, object, i);
         i++) {
        char name[NAME_MAX_BYTES];
        const bool is_inner = json_is_object(&value);

        snprintf(name, sizeof(name), "%.60s%.60s%s", prefix, key,
                 is_inner ? "." : "");
        if (is_inner)
            error = read_members(table, name, &value, err);
        else if (is_value(&value))
            error = set_value(table, name, &value, err);
    }
    return error;
}

static int read_line(struct table *table,
                     const char *rows,
                     const struct json_node *line,
                     struct mapcore_error *err)
{
    for (size_t i = 0; i < table->n; i++)
        table->column[i].is_set = false;
    table->next = 0;
    return json_is_object(line) ? read_members(table, "", line, err)
                                : set_value(table, rows, line, err);
}

static int put_text(struct buffer *out,
                    const struct json_node *value,
                    struct mapcore_error *err)
{
    const char *string;
    uint64_t whole;
    double number;
    bool truth;

    if (json_as_string(&string, value, NULL) == 0)
        return buffer_printf(out, err, "%s", string);
    if (json_as_u64(&whole, value, NULL) == 0)
        return buffer_printf(out, err, "%" PRIu64, whole);
    if (json_as_double(&number, value, NULL) == 0)
        return buffer_printf(out, err, "%.17g", number);
    if (json_as_bool(&truth, value, NULL) == 0)
        return buffer_printf(out, err, "%s", truth ? "true" : "false");
    return 0;
}

static int write_list(FILE *file,
                      const struct json_node *list,
                      struct mapcore_error *err)
{
    struct buffer text = {0};
    struct json_node item;
    int error = 0;

    for (size_t i = 0; error == 0 && i < json_count(list); i++) {
        if (i > 0)
            error = buffer_append(&text, err, " ", 1);
        if (error == 0)
            error = json_at(&item, list, i, err);
        if (error == 0)
            error = put_text(&text, &item, err);
    }
    if (error == 0)
        csv_write_name(file, text.bytes ? text.bytes : "");
    buffer_clear(&text);
    return error;
}

static int write_value(FILE *file,
                       const struct json_node *value,
                       struct mapcore_error *err)
{
    const char *string;
    uint64_t whole;
    double number;
    bool truth;

    if (json_is_array(value))
        return write_list(file, value, err);
    if (json_as_string(&string, value, NULL) == 0)
        csv_write_name(file, string);
    else if (json_as_u64(&whole, value, NULL) == 0)
        fprintf(file, "%" PRIu64, whole);
    else if (json_as_double(&number, value, NULL) == 0)
        csv_write_exact(file, number);
    else if (json_as_bool(&truth, value, NULL) == 0)
        fputs(truth ? "true" : "false", file);
    return 0;
}

static int write_line(const struct table *table, struct mapcore_error *err)
{
    int error = 0;

    for (size_t i = 0; error == 0 && i < table->n; i++) {
        if (i > 0)
            putc(',', table->file);
        if (table->column[i].is_set)
            error = write_value(table->file, &table->column[i].value, err);
    }
    putc('\n', table->file);
    return error;
}

/* The lines one after the other; in the end, when it is written, too. */
static int read_lines(struct table *table,
                      const struct json_node *root,
                      const char *rows,
                      bool writes,
                      struct mapcore_error *err)
{
    struct json_node lines = *root, line = *root;
    size_t n = 1;
    int error = 0;

    if (*rows != '\0') {
        error = json_get_array(&lines, root, rows, err);
        n = error == 0 ? json_count(&lines) : 0;
    }
    for (size_t i = 0; error == 0 && i < n; i++) {
        if (*rows != '\0')
            error = json_at(&line, &lines, i, err);
        if (error == 0)
            error = read_line(table, rows, &line, err);
        if (error == 0 && writes)
            error = write_line(table, err);
    }
    return error;
}

static int write_table(const struct answer *answer, struct mapcore_error *err)
{
    struct table table = {.file = answer->file};
    struct json *document = NULL;
    struct json_node root;
    int error = json_open_memory(&document, "the table", answer->text,
                                 answer->n, err);

    if (error == 0)
        error = json_root(&root, document, err);
    if (error == 0)
        error = read_lines(&table, &root, answer->rows, false, err);
    for (size_t i = 0; error == 0 && i < table.n; i++)
        fprintf(table.file, "%s%s%s", i > 0 ? "," : "", table.column[i].name,
                i + 1 == table.n ? "\n" : "");
    if (error == 0)
        error = read_lines(&table, &root, answer->rows, true, err);
    json_close(document);
    free(table.column);
    return error;
}

int answer_end(struct answer *answer, int error, struct mapcore_error *err)
{
    if (!answer->rows)
        return error < 0 ? error : json_writer_end(&answer->writer, err);
    if (error == 0)
        error = json_writer_end(&answer->writer, err);
    fclose(answer->memory);
    if (error == 0)
        error = write_table(answer, err);
    free(answer->text);
    return error;
}
