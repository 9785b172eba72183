/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json.c - JSON read through json-c, which no other file sees */
#include "config.h"

#include "json/json.h"

#include "json/json_text.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/file_read.h"
#include "base/text.h"

#include <errno.h>
#include <json_c_version.h>
#include <json_object.h>
#include <json_object_iterator.h>
#include <json_tokener.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* json-c 0.18, whose strict mode takes all beyond ASCII for invalid. */
#define REFUSES_UTF8 0x1200

struct json {
    char *name;
    char *text; /* for the lines that messages name */
    struct json_object *root;
    struct mapcore_error *err, unread; /* the caller's, or that */
};

void json_report_to(struct json *json, struct mapcore_error *err)
{
    json->err = err ? err : &json->unread;
}

struct mapcore_error *json_err(const struct json_node *node)
{
    return node->json->err;
}

/* json-c's readers take pointers to what they do not change. */
static struct json_object *value_of(const struct json_node *node)
{
    union {
        const void *in;
        struct json_object *out;
    } pun = {.in = node->value};

    return pun.out;
}

void json_close(struct json *json)
{
    int saved = errno;

    if (!json)
        return;
    json_object_put(json->root);
    free(json->name);
    free(json->text);
    free(json);
    errno = saved;
}

const char *json_name(const struct json *json)
{
    return json->name;
}

static int parse(struct json *json, const char *bytes, size_t n)
{
    struct json_tokener *tokener = json_tokener_new_ex(JSON_DEPTH_MAX);
    enum json_tokener_error error;
    size_t line = 1, end;

    if (!tokener)
        return error_set(json->err, MAPCORE_ENOMEM, "no memory");
    json_tokener_set_flags(tokener,
                           JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
    json->root = json_tokener_parse_ex(tokener, bytes, (int)n);
    error = json_tokener_get_error(tokener);
    end = json_tokener_get_parse_end(tokener);
    json_tokener_free(tokener);
    for (size_t i = 0; i < end && i < n; i++)
        line += bytes[i] == '\n';
    if (error == json_tokener_success)
        return 0;
    if (error == json_tokener_continue || error == json_tokener_error_parse_eof)
        return error_set(json->err, MAPCORE_EPARSE,
                         "%.300s:%zu: the file ends in the middle", json->name,
                         line);
    if (error == json_tokener_error_depth)
        return error_set(json->err, MAPCORE_EPARSE,
                         "%.300s:%zu: nested deeper than "
                         "%d levels",
                         json->name, line, JSON_DEPTH_MAX);
    return error_set(json->err, MAPCORE_EPARSE, "%.300s:%zu: not JSON: %s",
                     json->name, line, json_tokener_error_desc(error));
}

/* With its NUL, json-c sees that the text ends where a number does. */
static int parse_text(struct json *json, size_t n)
{
    struct buffer ascii = {.err = json->err};
    int error;

    if (json_c_version_num() != REFUSES_UTF8)
        return parse(json, json->text, n + 1);
    error = json_ascii(&ascii, json->text, n + 1);
    if (error == 0)
        error = parse(json, ascii.bytes, ascii.n);
    buffer_clear(&ascii);
    return error;
}

int json_open_memory(struct json **out,
                     const char *name,
                     const char *bytes,
                     size_t n,
                     struct mapcore_error *err)
{
    struct json *json = NULL;
    int error = MAPCORE_ENOMEM;

    if (n > JSON_BYTES_MAX)
        return error_set(err, MAPCORE_ERANGE, "%.300s: longer than %zu MiB",
                         name, JSON_BYTES_MAX >> 20);
    if (n > 0 && memchr(bytes, '\0', n))
        return error_set(err, MAPCORE_EPARSE, "%.300s: not JSON: a NUL byte",
                         name);
    json = array_alloc(1, sizeof(*json), err);
    if (!json || !(json->text = array_alloc(n + 1, 1, err)))
        goto out;
    json_report_to(json, err);
    if (n > 0)
        memcpy(json->text, bytes, n);
    if ((error = text_copy(&json->name, name, err)) == 0)
        error = parse_text(json, n);
    if (error == 0) {
        *out = json;
        json = NULL;
    }
out:
    json_close(json);
    return error;
}

int json_open(struct json **out, const char *path, struct mapcore_error *err)
{
    struct buffer bytes = {0};
    int error = file_read_all(&bytes, path, FILE_ANY, JSON_BYTES_MAX, err);

    if (error == 0)
        error = json_open_memory(out, path, bytes.bytes, bytes.n, err);
    buffer_clear(&bytes);
    return error;
}

int json_error(const struct json_node *node, int error, const char *format, ...)
{
    char what[256];
    va_list args;

    va_start(args, format);
    vsnprintf(what, sizeof(what), format, args);
    va_end(args);
    if (node->where[0] == '\0')
        return error_set(node->json->err, error, "%.200s: %s", node->json->name,
                         what);
    return error_set(node->json->err, error, "%.200s:%zu: key %s: %s",
                     node->json->name, json_line(node->json->text, node->where),
                     node->where, what);
}

int json_error_in(const struct json_node *node, int error)
{
    return error < 0 ? json_error(node, error, "%s", json_err(node)->text) : 0;
}

static const char *type_name(const struct json_node *node)
{
    switch (json_object_get_type(value_of(node))) {
    case json_type_null:
        return "null";
    case json_type_boolean:
        return "a boolean";
    case json_type_double:
    case json_type_int:
        return "a number";
    case json_type_object:
        return "an object";
    case json_type_array:
        return "an array";
    case json_type_string:
        return "a string";
    }
    return "something else";
}

static bool has_type(const struct json_node *node, enum json_type type)
{
    return json_object_is_type(value_of(node), type) != 0;
}

bool json_is_object(const struct json_node *node)
{
    return has_type(node, json_type_object);
}

bool json_is_array(const struct json_node *node)
{
    return has_type(node, json_type_array);
}

static bool is_number(const struct json_node *node)
{
    return has_type(node, json_type_int) || has_type(node, json_type_double);
}

int json_expect(const struct json_node *node, bool is, const char *what)
{
    if (is)
        return 0;
    return json_error(node, MAPCORE_EPARSE, "expected %s, not %s", what,
                      type_name(node));
}

int json_root(struct json_node *out, const struct json *json)
{
    struct json_node node = {.json = json, .value = json->root};
    int error = json_expect(&node, json_is_object(&node), "an object");

    if (error == 0)
        *out = node;
    return error;
}

/* object may be out itself. */
static bool look_up(struct json_node *out,
                    const struct json_node *object,
                    const char *key)
{
    struct json_object *value = NULL;
    struct json_node node = {.json = object->json};
    int n;

    if (json_is_object(object))
        json_object_object_get_ex(value_of(object), key, &value);
    node.value = value;
    n = snprintf(node.where, sizeof(node.where), "%s%s%s", object->where,
                 object->where[0] != '\0' ? "." : "", key);
    if (n >= (int)sizeof(node.where))
        memcpy(node.where + sizeof(node.where) - 4, "...", 4);
    *out = node;
    return value != NULL;
}

bool json_has(const struct json_node *object, const char *key)
{
    struct json_node node;

    return look_up(&node, object, key);
}

int json_get(struct json_node *out,
             const struct json_node *object,
             const char *key)
{
    struct json_node node;
    int error = json_expect(object, json_is_object(object), "an object");

    if (error < 0)
        return error;
    if (!look_up(&node, object, key))
        return json_error(&node, MAPCORE_EPARSE, "missing");
    *out = node;
    return 0;
}

int json_only(const struct json_node *object,
              const char *const *keys,
              size_t nkeys)
{
    struct json_object_iterator at, end;
    int error = json_expect(object, json_is_object(object), "an object");

    if (error < 0)
        return error;
    at = json_object_iter_begin(value_of(object));
    end = json_object_iter_end(value_of(object));
    for (; !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
        const char *key = json_object_iter_peek_name(&at);
        const char *nearest;
        struct json_node node;
        size_t i = 0;

        while (i < nkeys && strcmp(keys[i], key) != 0)
            i++;
        if (i < nkeys)
            continue;
        look_up(&node, object, key);
        nearest = text_nearest(key, keys, nkeys, sizeof(*keys));
        return json_error(&node, MAPCORE_EPARSE, "not known here%s%s%s",
                          nearest ? ", did you mean \"" : "",
                          nearest ? nearest : "", nearest ? "\"?" : "");
    }
    return 0;
}

size_t json_count(const struct json_node *array)
{
    return json_is_array(array) ? json_object_array_length(value_of(array)) : 0;
}

int json_at(struct json_node *out, const struct json_node *array, size_t i)
{
    struct json_node node = {.json = array->json};
    int error = json_expect(array, json_is_array(array), "an array"), n;

    if (error < 0)
        return error;
    if (i >= json_count(array))
        return json_error(array, MAPCORE_EPARSE,
                          "expected more than %zu elements", i);
    node.value = json_object_array_get_idx(value_of(array), i);
    n = snprintf(node.where, sizeof(node.where), "%s[%zu]", array->where, i);
    if (n >= (int)sizeof(node.where))
        memcpy(node.where + sizeof(node.where) - 4, "...", 4);
    *out = node;
    return 0;
}

int json_as_string(const char **out, const struct json_node *node)
{
    int error = json_expect(node, has_type(node, json_type_string), "a string");
    const char *string;

    if (error < 0)
        return error;
    string = json_object_get_string(value_of(node));
    if (strlen(string) != (size_t)json_object_get_string_len(value_of(node)))
        return json_error(node, MAPCORE_EPARSE, "a NUL byte inside");
    *out = string;
    return 0;
}

int json_as_u64(uint64_t *out, const struct json_node *node)
{
    int error = json_expect(node, is_number(node), "a number");
    uint64_t number;

    if (error < 0)
        return error;
    if (!has_type(node, json_type_int))
        return json_error(node, MAPCORE_EPARSE, "expected a whole number");
    if (json_object_get_int64(value_of(node)) < 0)
        return json_error(node, MAPCORE_EPARSE,
                          "expected a number that is not negative");
    number = json_object_get_uint64(value_of(node));
    /* json-c gives this for all that is larger, too. */
    if (number == UINT64_MAX)
        return json_error(node, MAPCORE_ERANGE, "too large");
    *out = number;
    return 0;
}

int json_as_u32(uint32_t *out, const struct json_node *node)
{
    uint64_t number;
    int error = json_as_u64(&number, node);

    if (error < 0)
        return error;
    if (number > UINT32_MAX)
        return json_error(node, MAPCORE_ERANGE, "too large");
    *out = (uint32_t)number;
    return 0;
}

int json_as_double(double *out, const struct json_node *node)
{
    int error = json_expect(node, is_number(node), "a number");
    double number;

    if (error < 0)
        return error;
    number = json_object_get_double(value_of(node));
    if (!isfinite(number))
        return json_error(node, MAPCORE_EPARSE, "expected a finite number");
    *out = number;
    return 0;
}

const char *json_as_text(const struct json_node *node)
{
    return !node->value || json_is_object(node) || json_is_array(node)
               ? NULL
               : json_object_get_string(value_of(node));
}

int json_as_bool(bool *out, const struct json_node *node)
{
    int error =
        json_expect(node, has_type(node, json_type_boolean), "true or false");

    if (error == 0)
        *out = json_object_get_boolean(value_of(node)) != 0;
    return error;
}
