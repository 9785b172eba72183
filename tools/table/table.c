/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table.c - values of a table's columns, and their three forms */
#include "config.h"

#include "tools/table/table.h"

#include "base/printable.h"
#include "tools/table/csv.h"

#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <string.h>

enum { GAP = 2, KEY = 128, COLUMNS_MOST = 64 };

void table_set_text(struct table_value *out, const char *text)
{
    out->kind = text ? TABLE_TEXT : TABLE_NONE;
    out->text = text;
}

void table_set_count(struct table_value *out, uint64_t count)
{
    out->kind = TABLE_COUNT;
    out->count = count;
}

void table_set_number(struct table_value *out, double number)
{
    out->kind = isnan(number) ? TABLE_NONE : TABLE_NUMBER;
    out->number = number;
}

void table_set_truth(struct table_value *out, bool truth)
{
    out->kind = TABLE_TRUTH;
    out->count = truth;
}

void table_printf(struct table_value *out, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    vsnprintf(out->memory, sizeof(out->memory), format, args);
    va_end(args);
    table_set_text(out, out->memory);
}

static void read_member(struct table_value *out,
                        const struct table_column *column,
                        const void *at)
{
    if (column->kind == TABLE_TEXT)
        table_set_text(out, *(const char *const *)at);
    else if (column->kind == TABLE_NUMBER)
        table_set_number(out, *(const double *)at);
    else if (column->kind == TABLE_TRUTH)
        table_set_truth(out, *(const bool *)at);
    else
        table_set_count(out, column->is_32_bits ? *(const uint32_t *)at
                                                : *(const uint64_t *)at);
}

static void value_of(struct table_value *out,
                     const struct table *table,
                     const struct table_column *column,
                     size_t i)
{
    const char *row =
        table->rows ? (const char *)table->rows + i * table->size : NULL;
    const void *member = row ? row + column->offset : NULL;

    out->kind = TABLE_NONE;
    if (column->get)
        column->get(out, &(struct table_place){row, i, member, table->arg});
    else
        read_member(out, column, member);
}

/* The next column of that form; NULL: there is none. */
static const struct table_column *next(const struct table *table,
                                       const struct table_column *column,
                                       bool is_text)
{
    column = column ? column + 1 : table->columns;
    for (; column->key || column->heading; column++)
        if ((is_text ? column->heading : column->key) &&
            (!column->shown || column->shown(table->arg)))
            return column;
    return NULL;
}

static void put_number(char *text,
                       const struct table *table,
                       enum table_unit unit,
                       double number)
{
    switch (unit) {
    case TABLE_BYTES:
        quantity_bytes(text, number);
        break;
    case TABLE_SECONDS:
        quantity_seconds(text, number);
        break;
    case TABLE_RATE:
        quantity_rate(text, number);
        break;
    case TABLE_TIME:
        quantity_put_time(text, number, table->time);
        break;
    case TABLE_SHARE:
        snprintf(text, QUANTITY_TEXT, "%.0f%%", 100 * number);
        break;
    case TABLE_CHANGE:
        snprintf(text, QUANTITY_TEXT, "%+.1f%%", 100 * number);
        break;
    case TABLE_PLAIN:
        snprintf(text, QUANTITY_TEXT, "%.4g", number);
        break;
    }
}

/* As people read it, into text[TABLE_TEXT_MOST]. */
static void print_value(char *text,
                        const struct table *table,
                        const struct table_column *column,
                        size_t i)
{
    struct table_value value;

    value_of(&value, table, column, i);
    if (value.kind == TABLE_TEXT)
        snprintf(text, TABLE_TEXT_MOST, "%s", value.text);
    else if (value.kind == TABLE_NUMBER)
        put_number(text, table, column->unit, value.number);
    else if (value.kind == TABLE_COUNT && column->unit != TABLE_PLAIN)
        put_number(text, table, column->unit, (double)value.count);
    else if (value.kind == TABLE_COUNT)
        snprintf(text, TABLE_TEXT_MOST, "%" PRIu64, value.count);
    else
        snprintf(text, TABLE_TEXT_MOST, "%s",
                 value.kind == TABLE_TRUTH && value.count ? "yes" : "-");
    printable_clean(text);
}

static int width_of(const struct table *table,
                    const struct table_column *column)
{
    char text[TABLE_TEXT_MOST];
    size_t width = strlen(column->heading);

    for (size_t i = 0; i < table->n; i++) {
        print_value(text, table, column, i);
        width = strlen(text) > width ? strlen(text) : width;
    }
    return (int)width;
}

void table_print(const struct table *table)
{
    char text[TABLE_TEXT_MOST];
    const struct table_column *column;
    int width[COLUMNS_MOST], k;

    for (k = 0, column = NULL; (column = next(table, column, true)); k++)
        width[k] = width_of(table, column);
    for (size_t i = 0; i <= table->n; i++) {
        const struct table_column *after;

        column = next(table, NULL, true);
        for (k = 0; column; column = after, k++) {
            after = next(table, column, true);
            if (i == 0)
                snprintf(text, sizeof(text), "%s", column->heading);
            else
                print_value(text, table, column, i - 1);
            printf("%*s%*s", k > 0 ? GAP : 0, "",
                   !column->left ? width[k]
                   : after       ? -width[k]
                                 : 0,
                   text);
        }
        putchar('\n');
    }
}

/* With its unit, where that is not always the same. */
static const char *key_of(char key[KEY],
                          const struct table *table,
                          const struct table_column *column)
{
    return column->unit == TABLE_TIME
               ? quantity_time_key(key, column->key, table->time)
               : column->key;
}

void table_csv(const struct table *table)
{
    const struct table_column *column = NULL;
    struct table_value value;
    char key[KEY];

    for (int k = 0; (column = next(table, column, false)); k++)
        printf("%s%s", k > 0 ? "," : "", key_of(key, table, column));
    putchar('\n');
    for (size_t i = 0; i < table->n; i++) {
        for (int k = 0; (column = next(table, column, false)); k++) {
            value_of(&value, table, column, i);
            if (k > 0)
                putchar(',');
            if (value.kind == TABLE_TEXT)
                csv_put_name(value.text);
            else if (value.kind == TABLE_NUMBER)
                csv_write_exact(stdout, value.number);
            else if (value.kind != TABLE_NONE)
                printf("%" PRIu64, value.count);
        }
        putchar('\n');
    }
}

void table_put_row(struct json_writer *writer,
                   const struct table *table,
                   size_t i)
{
    const struct table_column *column = NULL;
    const char *object = NULL; /* that is open */
    struct table_value value;
    char memory[KEY];
    size_t n = 0;

    while ((column = next(table, column, false))) {
        const char *key = key_of(memory, table, column);
        const char *dot = strchr(key, '.');

        if (object && strncmp(key, object, n + 1) != 0) {
            json_end_object(writer);
            object = NULL;
        }
        if (dot && !object) {
            char name[KEY];

            object = column->key;
            n = (size_t)(dot - key);
            snprintf(name, sizeof(name), "%.*s", (int)n, key);
            json_begin_object(writer, name);
        }
        key = dot ? dot + 1 : key;
        value_of(&value, table, column, i);
        if (value.kind == TABLE_TEXT)
            json_put_string(writer, key, value.text);
        else if (value.kind == TABLE_NUMBER)
            json_put_double(writer, key, value.number);
        else if (value.kind == TABLE_COUNT)
            json_put_u64(writer, key, value.count);
        else if (value.kind == TABLE_TRUTH)
            json_put_bool(writer, key, value.count != 0);
        else
            json_put_null(writer, key);
    }
    if (object)
        json_end_object(writer);
}

void table_put_rows(struct json_writer *writer,
                    const struct table *table,
                    const char *name)
{
    json_begin_array(writer, name);
    for (size_t i = 0; i < table->n; i++) {
        json_begin_object(writer, NULL);
        table_put_row(writer, table, i);
        json_end_object(writer);
    }
    json_end_array(writer);
}

int table_write(const struct table *table,
                enum table_form form,
                const char *name,
                struct mapcore_error *err)
{
    struct json_writer writer;

    if (form == TABLE_AS_TEXT)
        table_print(table);
    if (form == TABLE_AS_CSV)
        table_csv(table);
    if (form != TABLE_AS_JSON)
        return 0;
    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    table_put_rows(&writer, table, name);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}
