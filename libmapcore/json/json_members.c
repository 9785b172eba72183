/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* json_members.c - members of an object, asked for by key and type */
#include "config.h"

#include "json/json.h"

int json_get_string(const char **out,
                    const struct json_node *object,
                    const char *key,
                    struct mapcore_error *err)
{
    struct json_node node;
    int error = json_get(&node, object, key, err);

    return error < 0 ? error : json_as_string(out, &node, err);
}

int json_get_u64(uint64_t *out,
                 const struct json_node *object,
                 const char *key,
                 struct mapcore_error *err)
{
    struct json_node node;
    int error = json_get(&node, object, key, err);

    return error < 0 ? error : json_as_u64(out, &node, err);
}

int json_get_u32(uint32_t *out,
                 const struct json_node *object,
                 const char *key,
                 struct mapcore_error *err)
{
    struct json_node node;
    int error = json_get(&node, object, key, err);

    return error < 0 ? error : json_as_u32(out, &node, err);
}

int json_get_double(double *out,
                    const struct json_node *object,
                    const char *key,
                    struct mapcore_error *err)
{
    struct json_node node;
    int error = json_get(&node, object, key, err);

    return error < 0 ? error : json_as_double(out, &node, err);
}

int json_get_bool(bool *out,
                  const struct json_node *object,
                  const char *key,
                  struct mapcore_error *err)
{
    struct json_node node;
    int error = json_get(&node, object, key, err);

    return error < 0 ? error : json_as_bool(out, &node, err);
}

int json_get_object(struct json_node *out,
                    const struct json_node *object,
                    const char *key,
                    struct mapcore_error *err)
{
    struct json_node node;
    int error = json_get(&node, object, key, err);

    if (error == 0)
        error = json_expect(&node, json_is_object(&node), "an object", err);
    if (error == 0)
        *out = node;
    return error;
}

int json_get_array(struct json_node *out,
                   const struct json_node *object,
                   const char *key,
                   struct mapcore_error *err)
{
    struct json_node node;
    int error = json_get(&node, object, key, err);

    if (error == 0)
        error = json_expect(&node, json_is_array(&node), "an array", err);
    if (error == 0)
        *out = node;
    return error;
}
