/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table.c - values of a table's columns */
#include "config.h"

#include "tools/table/table.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

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

/* The next column that is shown; NULL: there is none. */
static const struct table_column *next(const struct table *table,
                                       const struct table_column *column)
{
    column = column ? column + 1 : table->columns;
    while (column->key && column->shown && !column->shown(table->arg))
        column++;
    return column->key ? column : NULL;
}

/* With its unit, where that is not always the same. */
static const char *key_of(char key[QUANTITY_TEXT],
                          const struct table *table,
                          const struct table_column *column)
{
    return column->is_time ? quantity_time_key(key, column->key, table->time)
                           : column->key;
}

void table_put_row(struct json_writer *writer,
                   const struct table *table,
                   size_t i)
{
    const struct table_column *column = NULL;
    struct table_value value;
    char memory[QUANTITY_TEXT];

    while ((column = next(table, column))) {
        const char *key = key_of(memory, table, column);

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
