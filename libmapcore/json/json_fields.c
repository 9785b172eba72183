/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_fields.c - members of an object, asked for by key and kind: one by one,
 * or by a table, which also writes them */
#include "config.h"

#include "json/json_fields.h"

#include "base/array.h"
#include "base/text.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

static int copy_string(char **out, const struct json_node *node)
{
    const char *string;
    int error = json_as_string(&string, node);

    return error < 0 ? error : text_copy(out, string, json_err(node));
}

static int read_between(double *out,
                        const struct json_node *node,
                        bool is_share)
{
    double number;
    int error = json_as_double(&number, node);

    if (error < 0)
        return error;
    if (is_share && !(number >= 0 && number <= 1))
        return json_error(node, MAPCORE_EPARSE, "not from 0 to 1");
    if (number < 0)
        return json_error(node, MAPCORE_EPARSE,
                          "expected a number that is not negative");
    *out = number;
    return 0;
}

static int read_node(struct json_node *out,
                     const struct json_node *node,
                     bool is_kind,
                     const char *what)
{
    int error = json_expect(node, is_kind, what);

    if (error == 0)
        *out = *node;
    return error;
}

/* member is of the kind's type. */
static int read_value(void *member,
                      const struct json_node *node,
                      enum json_kind kind)
{
    switch (kind) {
    case JSON_STRING:
        return copy_string(member, node);
    case JSON_BORROWED:
        return json_as_string(member, node);
    case JSON_U32:
        return json_as_u32(member, node);
    case JSON_U64:
        return json_as_u64(member, node);
    case JSON_DOUBLE:
        return json_as_double(member, node);
    case JSON_AMOUNT:
    case JSON_SHARE:
        return read_between(member, node, kind == JSON_SHARE);
    case JSON_BOOL:
        return json_as_bool(member, node);
    case JSON_ARRAY:
        return read_node(member, node, json_is_array(node), "an array");
    case JSON_OBJECT:
        return read_node(member, node, json_is_object(node), "an object");
    }
    return json_error(node, MAPCORE_EINVAL, "no such kind of JSON value");
}

static int get(void *member,
               const struct json_node *object,
               const char *key,
               enum json_kind kind)
{
    struct json_node node;
    int error = json_get(&node, object, key);

    return error < 0 ? error : read_value(member, &node, kind);
}

#define GETTER(name, type, kind)                                               \
    int json_get_##name(type *out, const struct json_node *object,             \
                        const char *key)                                       \
    {                                                                          \
        return get(out, object, key, kind);                                    \
    }
GETTER(string, const char *, JSON_BORROWED)
GETTER(u32, uint32_t, JSON_U32)
GETTER(object, struct json_node, JSON_OBJECT)
GETTER(array, struct json_node, JSON_ARRAY)

int json_read_fields(void *out,
                     const struct json_node *object,
                     const struct json_field *fields,
                     size_t nfields)
{
    int error = json_expect(object, json_is_object(object), "an object");

    for (size_t i = 0; error == 0 && i < nfields; i++)
        if (fields[i].need == JSON_NEEDED || json_has(object, fields[i].key))
            error = get((char *)out + fields[i].offset, object, fields[i].key,
                        fields[i].kind);
    return error;
}

/* Bytes that a value of the kind takes. */
static const size_t sizes[] = {
    [JSON_STRING] = sizeof(char *),
    [JSON_BORROWED] = sizeof(char *),
    [JSON_U32] = sizeof(uint32_t),
    [JSON_U64] = sizeof(uint64_t),
    [JSON_DOUBLE] = sizeof(double),
    [JSON_AMOUNT] = sizeof(double),
    [JSON_SHARE] = sizeof(double),
    [JSON_BOOL] = sizeof(bool),
    [JSON_ARRAY] = sizeof(struct json_node),
    [JSON_OBJECT] = sizeof(struct json_node),
};

void json_free_fields(void *out,
                      const struct json_field *fields,
                      size_t nfields)
{
    for (size_t i = 0; i < nfields; i++)
        if (fields[i].kind == JSON_STRING)
            free(*(char **)(void *)((char *)out + fields[i].offset));
}

int json_read_items(void *out,
                    const struct json_node *array,
                    enum json_kind kind,
                    size_t n)
{
    struct json_node item;
    int error = json_expect(array, json_is_array(array), "an array");

    if (error == 0 && json_count(array) != n)
        return json_error(array, MAPCORE_EPARSE,
                          "expected %zu elements, not %zu", n,
                          json_count(array));
    for (size_t i = 0; error == 0 && i < n; i++)
        if ((error = json_at(&item, array, i)) == 0)
            error = read_value((char *)out + i * sizes[kind], &item, kind);
    return error;
}

/* Strings are there when they are not NULL, numbers when they are not 0; of
 * amounts 0 is one. */
static bool is_there(const void *member, enum json_kind kind)
{
    static const char nothing[sizeof(uint64_t)];

    if (kind == JSON_AMOUNT)
        return *(const double *)member >= 0;
    return kind < JSON_ARRAY && memcmp(member, nothing, sizes[kind]) != 0;
}

static void write_value(struct json_writer *writer,
                        const char *key,
                        const void *member,
                        enum json_kind kind)
{
    switch (kind) {
    case JSON_STRING:
    case JSON_BORROWED:
        json_put_string(writer, key, *(const char *const *)member);
        break;
    case JSON_U32:
        json_put_u64(writer, key, *(const uint32_t *)member);
        break;
    case JSON_U64:
        json_put_u64(writer, key, *(const uint64_t *)member);
        break;
    case JSON_DOUBLE:
    case JSON_AMOUNT:
    case JSON_SHARE:
        json_put_double(writer, key, *(const double *)member);
        break;
    case JSON_BOOL:
        json_put_bool(writer, key, *(const bool *)member);
        break;
    case JSON_ARRAY:
    case JSON_OBJECT:
        assert(false && "arrays and objects are not written by a table");
        break;
    }
}

void json_write_fields(struct json_writer *writer,
                       const void *in,
                       const struct json_field *fields,
                       size_t nfields)
{
    for (size_t i = 0; i < nfields; i++) {
        const void *member = (const char *)in + fields[i].offset;

        if (fields[i].need != JSON_OPTIONAL || is_there(member, fields[i].kind))
            write_value(writer, fields[i].key, member, fields[i].kind);
    }
}

int json_only_fields(const struct json_node *object,
                     const struct json_field *fields,
                     size_t nfields)
{
    const char **keys = array_alloc(nfields, sizeof(*keys), json_err(object));
    int error;

    if (!keys)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i < nfields; i++)
        keys[i] = fields[i].key;
    error = json_only(object, keys, nfields);
    free(keys);
    return error;
}

int json_check_format(const struct json_node *object, unsigned latest)
{
    struct json_node node;
    uint64_t format;
    int error = json_get(&node, object, "format");

    if (error == 0)
        error = json_as_u64(&format, &node);
    if (error < 0)
        return error;
    if (format > latest)
        return json_error(&node, MAPCORE_EVERSION,
                          "format %llu is later than this topomap knows (%u)",
                          (unsigned long long)format, latest);
    if (format == 0)
        return json_error(&node, MAPCORE_EPARSE, "there is no format 0");
    return 0;
}
