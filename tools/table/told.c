/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* told.c - a document of JSON as a table: all lines are read once for the
 * names of the columns, and once to be written */
#include "config.h"

#include "tools/table/told.h"

#include "base/array.h"
#include "base/buffer.h"
#include "tools/table/csv.h"

#include <stdlib.h>
#include <string.h>

enum { NAME_MAX_BYTES = 128 };

/* A column, and its value in the line that is being read. */
struct column {
    char name[NAME_MAX_BYTES];
    struct json_node value;
    bool is_set;
};

struct answer_rows {
    struct column *column;
    size_t n, capacity;
    size_t next; /* where the next value is looked for first */
    FILE *file;
};

struct json_writer *told_begin(struct told_answer *out,
                               FILE *file,
                               const char *rows,
                               struct mapcore_error *err)
{
    *out = (struct told_answer){.file = file, .rows = rows};
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
static int set_value(struct answer_rows *table,
                     const char *name,
                     const struct json_node *value,
                     struct mapcore_error *err)
{
    size_t i = table->next;
    int error;

    if (i >= table->n || strcmp(table->column[i].name, name) != 0)
        for (i = 0; i < table->n; i++)
            if (strcmp(table->column[i].name, name) == 0)
                break;
    error = array_reserve(&table->column, &table->capacity, i + 1,
                          sizeof(*table->column), err);
    if (error < 0)
        return error;
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
static int read_members(struct answer_rows *table,
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

static int read_line(struct answer_rows *table,
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

static int write_list(FILE *file,
                      const struct json_node *list,
                      struct mapcore_error *err)
{
    struct buffer text = {0};
    struct json_node item;
    int error = 0;

    for (size_t i = 0; error == 0 && i < json_count(list); i++) {
        error = json_at(&item, list, i, err);
        if (error == 0)
            error = buffer_printf(&text, err, "%s%s", i > 0 ? " " : "",
                                  json_as_text(&item));
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
    const char *text = json_as_text(value);

    if (json_is_array(value))
        return write_list(file, value, err);
    if (text && json_is_string(value))
        csv_write_name(file, text);
    else if (text)
        fputs(text, file);
    return 0;
}

static int write_line(const struct answer_rows *table,
                      struct mapcore_error *err)
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
static int read_lines(struct answer_rows *table,
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

static int write_table(const struct told_answer *told,
                       struct mapcore_error *err)
{
    struct answer_rows table = {.file = told->file};
    struct json *document = NULL;
    struct json_node root;
    int error =
        json_open_memory(&document, "the table", told->text, told->n, err);

    if (error == 0)
        error = json_root(&root, document, err);
    if (error == 0)
        error = read_lines(&table, &root, told->rows, false, err);
    for (size_t i = 0; error == 0 && i < table.n; i++)
        fprintf(table.file, "%s%s%s", i > 0 ? "," : "", table.column[i].name,
                i + 1 == table.n ? "\n" : "");
    if (error == 0)
        error = read_lines(&table, &root, told->rows, true, err);
    json_close(document);
    free(table.column);
    return error;
}

int told_end(struct told_answer *told, int error, struct mapcore_error *err)
{
    if (!told->rows)
        return error < 0 ? error : json_writer_end(&told->writer, err);
    if (error == 0)
        error = json_writer_end(&told->writer, err);
    fclose(told->memory);
    if (error == 0)
        error = write_table(told, err);
    free(told->text);
    return error;
}
