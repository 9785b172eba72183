/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* greedymap_text.c - a GreedyMap configuration as text */
#include "config.h"

#include "base/text.h"
#include "map/greedy/greedymap.h"

#include <stdio.h>
#include <string.h>

#define PREFIX "greedymap"

static const char *const order_names[] = {
    [ORDER_OO] = "OO",       [ORDER_BFS] = "BFS",   [ORDER_BFS_DFS] = "BFS-DFS",
    [ORDER_GPART] = "GPART", [ORDER_CUSTOM] = NULL,
};
static const char *const cost_names[] = {
    [GREEDYMAP_HOP] = "hop",
    [GREEDYMAP_MAX] = "max",
    [GREEDYMAP_LINK] = "link",
};

static int set_order(struct greedymap_config *config,
                     const char *value,
                     struct mapcore_error *err)
{
    for (int i = 0; i < ORDER_CUSTOM; i++)
        if (strcmp(value, order_names[i]) == 0) {
            config->order = (enum order_kind)i;
            return 0;
        }
    if (!*value || strlen(value) >= sizeof(config->path))
        return error_set(err, MAPCORE_EINVAL,
                         PREFIX ": order=%.80s: OO, BFS, BFS-DFS, GPART or a "
                                "file of task numbers, one a line",
                         value);
    config->order = ORDER_CUSTOM;
    snprintf(config->path, sizeof(config->path), "%s", value);
    return 0;
}

static int set_delta(struct greedymap_config *config,
                     const char *value,
                     struct mapcore_error *err)
{
    uint64_t number;

    if (strcmp(value, "all") == 0) {
        config->delta = GREEDYMAP_ALL;
    } else if (strcmp(value, "sqrt") == 0) {
        config->delta = GREEDYMAP_SQRT;
    } else if (text_parse_u64(value, &number) && number >= 1 &&
               number < GREEDYMAP_SQRT) {
        config->delta = (uint32_t)number;
    } else {
        return error_set(err, MAPCORE_EINVAL,
                         PREFIX ": delta=%.80s: all, sqrt or a number of hosts "
                                "from 1",
                         value);
    }
    return 0;
}

static int set_cost(struct greedymap_config *config,
                    const char *value,
                    struct mapcore_error *err)
{
    for (int i = GREEDYMAP_HOP; i <= GREEDYMAP_LINK; i++)
        if (strcmp(value, cost_names[i]) == 0) {
            config->cost = (enum greedymap_cost)i;
            return 0;
        }
    return error_set(err, MAPCORE_EINVAL,
                     PREFIX ": cost=%.80s: hop, max or link", value);
}

static int set_bool(bool *out,
                    const char *key,
                    const char *value,
                    struct mapcore_error *err)
{
    if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
        return error_set(err, MAPCORE_EINVAL, PREFIX ": %s=%.80s: 0 or 1", key,
                         value);
    *out = *value == '1';
    return 0;
}

static int set(struct greedymap_config *config,
               const char *key,
               const char *value,
               struct mapcore_error *err)
{
    if (strcmp(key, "order") == 0)
        return set_order(config, value, err);
    if (strcmp(key, "delta") == 0)
        return set_delta(config, value, err);
    if (strcmp(key, "pack") == 0)
        return set_bool(&config->pack, key, value, err);
    if (strcmp(key, "cost") == 0)
        return set_cost(config, value, err);
    if (strcmp(key, "wrap") == 0)
        return set_bool(&config->wrap, key, value, err);
    return error_set(err, MAPCORE_EINVAL,
                     PREFIX ": unknown parameter \"%.80s\": order, delta, "
                            "pack, cost and wrap are known",
                     key);
}

int greedymap_parse(struct greedymap_config *out,
                    const char *text,
                    struct mapcore_error *err)
{
    struct greedymap_config config = {
        .order = ORDER_OO, .pack = true, .wrap = true};
    const char *cursor = text + strlen(PREFIX);
    int error;

    if (strncmp(text, PREFIX, strlen(PREFIX)) != 0 ||
        (*cursor && *cursor != ':'))
        return error_set(err, MAPCORE_EINVAL,
                         "\"%.80s\" is not " PREFIX ":order=...,delta=...,"
                         "pack=...,cost=...,wrap=...",
                         text);
    if (*cursor)
        cursor++;
    while (*cursor) {
        char item[GREEDYMAP_PATH + 16], *value;
        size_t n = strcspn(cursor, ",");

        if (n >= sizeof(item))
            return error_set(err, MAPCORE_EINVAL,
                             PREFIX ": a parameter of %zu characters is too "
                                    "long",
                             n);
        memcpy(item, cursor, n);
        item[n] = '\0';
        cursor += n;
        if (*cursor && !*++cursor)
            return error_set(err, MAPCORE_EINVAL,
                             PREFIX ": nothing after the last comma");
        value = strchr(item, '=');
        if (!value)
            return error_set(err, MAPCORE_EINVAL,
                             PREFIX ": \"%.80s\" has no value: order=, delta=, "
                                    "pack=, cost= and wrap= are known",
                             item);
        *value++ = '\0';
        if ((error = set(&config, item, value, err)) < 0)
            return error;
    }
    *out = config;
    return 0;
}

int greedymap_print(const struct greedymap_config *config,
                    char *buffer,
                    size_t size)
{
    char delta[16];

    if (config->delta == GREEDYMAP_ALL)
        snprintf(delta, sizeof(delta), "all");
    else if (config->delta == GREEDYMAP_SQRT)
        snprintf(delta, sizeof(delta), "sqrt");
    else
        snprintf(delta, sizeof(delta), "%u", config->delta);
    return snprintf(
        buffer, size, PREFIX ":order=%s,delta=%s,pack=%d,cost=%s,wrap=%d",
        config->order == ORDER_CUSTOM ? config->path
                                      : order_names[config->order],
        delta, config->pack, cost_names[config->cost], config->wrap);
}

uint64_t greedymap_number(const struct greedymap_config *config)
{
    uint64_t number = config->delta;

    number = number << 3 | (uint64_t)config->order;
    number = number << 2 | (uint64_t)config->cost;
    return number << 2 | (uint64_t)config->pack << 1 | (uint64_t)config->wrap;
}
