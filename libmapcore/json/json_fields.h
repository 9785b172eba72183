/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_fields.h - the members of an object by a table, which reads them and
 * writes them: what is written is what is read */
#ifndef MAPCORE_JSON_JSON_FIELDS_H
#define MAPCORE_JSON_JSON_FIELDS_H

#include "json/json.h"

#include <stddef.h>

/* What the value must be, and what member of the struct it is. */
enum json_kind {
    JSON_STRING,   /* char *: a copy, owned by the struct */
    JSON_BORROWED, /* const char *: good until json_close */
    JSON_U32,      /* uint32_t */
    JSON_U64,      /* uint64_t */
    JSON_DOUBLE,   /* double, finite */
    JSON_AMOUNT,   /* double, at least 0; negative: there is none */
    JSON_SHARE,    /* double, from 0 to 1 */
    JSON_BOOL,     /* bool */
    JSON_ARRAY,    /* struct json_node; not written */
    JSON_OBJECT,   /* the same */
};

enum json_need {
    JSON_NEEDED,  /* must be there */
    JSON_WRITTEN, /* may be missing, but is always written: NULL as null */
    /* May be missing, and is not written when there is none: NULL, 0, false, a
     * negative amount. */
    JSON_OPTIONAL,
};

struct json_field {
    const char *key;
    enum json_kind kind;
    size_t offset; /* of the member */
    enum json_need need;
};

/* A row: the member of struct type; and a table with its number of rows. */
#define JSON_FIELD(type, key, kind, member, need)                              \
    {                                                                          \
        key, kind, offsetof(struct type, member), need                         \
    }
/* One whose key is the member's name, and whose kind is that of its type; a
 * double is an amount. */
#define JSON_MEMBER(type, member, need)                                        \
    JSON_FIELD(type, #member,                                                  \
               _Generic(((struct type *)0)->member,                            \
                   char *: JSON_STRING,                                        \
                   const char *: JSON_BORROWED,                                \
                   uint32_t: JSON_U32,                                         \
                   uint64_t: JSON_U64,                                         \
                   double: JSON_AMOUNT,                                        \
                   bool: JSON_BOOL,                                            \
                   struct json_node: JSON_ARRAY),                              \
               member, need)
#define JSON_FIELDS(table) (table), sizeof(table) / sizeof((table)[0])

/* Reads the members that fields[nfields] name into the struct at out; what is
 * missing, or null, stays as it was. After a failure the struct holds what was
 * read before it. Errors: EPARSE, ERANGE (both with the line and the key),
 * ENOMEM. */
int json_read_fields(void *out,
                     const struct json_node *object,
                     const struct json_field *fields,
                     size_t nfields);

/* The same for a text of JSON that is an object of plain values without
 * escapes, in ASCII, as most lines of a history are, at a tenth of the cost.
 * At most 64 fields, of the kinds up to JSON_BOOL that are owned. is_head: no
 * further than where all that is needed was read. False: it is something else,
 * or bad, which json_read_fields tells; strings that the struct has now are to
 * be freed all the same. */
bool json_read_flat(void *out,
                    const char *text,
                    const struct json_field *fields,
                    size_t nfields,
                    bool is_head);

/* Frees the strings that the struct owns. */
void json_free_fields(void *out,
                      const struct json_field *fields,
                      size_t nfields);

/* Reads all elements of an array of strings, numbers or booleans into out, an
 * array of the kind's type with n elements; the array must have as many.
 * Errors: EPARSE (as for the value of a member, or another number of them),
 * ERANGE, ENOMEM; what was read before it stands in out. */
int json_read_items(void *out,
                    const struct json_node *array,
                    enum json_kind kind,
                    size_t n);

/* Puts them into the object that is open, in the order of the table. */
void json_write_fields(struct json_writer *writer,
                       const void *in,
                       const struct json_field *fields,
                       size_t nfields);

/* Fails with EPARSE when the object has a key that is none of the table's: for
 * files that people write. */
int json_only_fields(const struct json_node *object,
                     const struct json_field *fields,
                     size_t nfields);

/* The member "format", 1 to latest, which must be there. Errors: EPARSE,
 * EVERSION (a later one), ERANGE. */
int json_check_format(const struct json_node *object, unsigned latest);

#endif
