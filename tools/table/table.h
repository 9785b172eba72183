/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* table.h - rows of JSON whose members are declared once, as columns */
#ifndef TOOLS_TABLE_H
#define TOOLS_TABLE_H

#include "tools/table/quantity.h"
#include "json/json.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Example:
 *   static const struct table_column columns[] = {
 *       {"program", TABLE_MEMBER(struct row, name)},
 *       {"gain", .get = get_gain},
 *       {0}};
 *   table_put_rows(writer, &(struct table){columns, rows, sizeof(*rows), n},
 *                  "programs"); */

enum table_kind {
    TABLE_NONE, /* not known: null */
    TABLE_TEXT,
    TABLE_COUNT,
    TABLE_NUMBER, /* NAN is not known */
    TABLE_TRUTH,
};

enum { TABLE_TEXT_MOST = 640 };
struct table_value {
    enum table_kind kind;
    const char *text;
    uint64_t count;
    double number;
    char memory[TABLE_TEXT_MOST]; /* of a text that a getter makes */
};

/* A place in a table: row i, its struct, and, where the column has both a
 * member and a getter, that member. arg: the table's. */
struct table_place {
    const void *row;
    size_t i;
    const void *member;
    const void *arg;
};
/* Sets *out, which is TABLE_NONE before, to the value of that place. */
typedef void table_get(struct table_value *out,
                       const struct table_place *place);
/* For getters. The text is borrowed until the table is printed; NULL leaves the
 * value unknown. table_printf makes one in memory. */
void table_set_text(struct table_value *out, const char *text);
void table_set_count(struct table_value *out, uint64_t count);
void table_set_number(struct table_value *out, double number);
void table_set_truth(struct table_value *out, bool truth);
void table_printf(struct table_value *out, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

struct table_column {
    const char *key;
    bool is_time; /* in the table's unit: the key is followed by _s, _bytes or
                     nothing */
    bool (*shown)(const void *arg); /* whether the table has it; NULL: yes */
    table_get *get;                 /* NULL: the value is the member's */
    enum table_kind kind;
    bool is_32_bits;
    size_t offset; /* of a member, see TABLE_MEMBER */
};

/* The kind and place of a value that a member of the row's struct holds. */
#define TABLE_MEMBER(type, member)                                             \
    .kind = _Generic(((type *)0)->member,                                      \
                     bool: TABLE_TRUTH,                                        \
                     char *: TABLE_TEXT,                                       \
                     const char *: TABLE_TEXT,                                 \
                     uint32_t: TABLE_COUNT,                                    \
                     unsigned long: TABLE_COUNT,                               \
                     unsigned long long: TABLE_COUNT,                          \
                     double: TABLE_NUMBER),                                    \
    .offset = offsetof(type, member), .is_32_bits = sizeof(((type *)0)->member) == sizeof(uint32_t)

struct table {
    const struct table_column *columns; /* up to one without a key */
    const void *rows;                   /* [n] */
    size_t size, n;                     /* size of a row's struct */
    const void *arg;                    /* passed to getters, borrowed */
    enum quantity_time time;            /* unit of times */
};

/* The members of row i, into an object that is open; or all rows as an array.
 */
void table_put_row(struct json_writer *writer,
                   const struct table *table,
                   size_t i);
void table_put_rows(struct json_writer *writer,
                    const struct table *table,
                    const char *name);

#endif
