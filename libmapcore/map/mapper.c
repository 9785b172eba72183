/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapper.c - a mapper and its parameters as text */
#include "config.h"

#include "map/mapper.h"

#include "base/error_set.h"

#include <stdio.h>
#include <string.h>

const struct mapper *mapper_find(const char *text)
{
    size_t n = strcspn(text, ":");

    for (size_t i = 0; mapper_list[i]; i++)
        if (strlen(mapper_list[i]->name) == n &&
            strncmp(mapper_list[i]->name, text, n) == 0)
            return mapper_list[i];
    return NULL;
}

/* "order=first|second,shape=box|line" */
static void describe(char *buffer, size_t size, const struct mapper *mapper)
{
    const struct mapper_parameter *p = mapper->parameters;
    size_t n = 0;

    buffer[0] = '\0';
    for (; p && p->key; p++)
        for (size_t w = 0; p->words[w] && n < size; w++) {
            int added = snprintf(
                buffer + n, size - n, "%s%s%s%s", w == 0 && n > 0 ? "," : "",
                w == 0 ? p->key : "", w == 0 ? "=" : "|", p->words[w]);

            n += added > 0 ? (size_t)added : 0;
        }
}

static int refuse(const struct mapper *mapper,
                  const char *item,
                  size_t n,
                  struct mapcore_error *err)
{
    char known[256];

    describe(known, sizeof(known), mapper);
    return error_set(err, MAPCORE_EINVAL, "%s: \"%.*s\": %s%s", mapper->name,
                     n < 80 ? (int)n : 80, item,
                     known[0] ? "it may be " : "it takes no parameters", known);
}

/* Sets the parameter that item[n], "key=word", names. */
static bool set(uint8_t *value,
                const struct mapper *mapper,
                const char *item,
                size_t n)
{
    const struct mapper_parameter *p = mapper->parameters;

    for (size_t i = 0; p && p[i].key; i++) {
        size_t key = strlen(p[i].key);

        if (key >= n || strncmp(p[i].key, item, key) != 0 || item[key] != '=')
            continue;
        for (size_t w = 0; p[i].words[w]; w++)
            if (strlen(p[i].words[w]) == n - key - 1 &&
                strncmp(p[i].words[w], item + key + 1, n - key - 1) == 0) {
                value[i] = (uint8_t)w;
                return true;
            }
    }
    return false;
}

int mapper_parse(uint8_t *value,
                 const struct mapper *mapper,
                 const char *text,
                 struct mapcore_error *err)
{
    const char *cursor = text + strlen(mapper->name);
    uint8_t parsed[MAPPER_PARAMETERS] = {0};

    while (*cursor) {
        const char *item = cursor + 1;
        size_t n = strcspn(item, ",");

        if (!set(parsed, mapper, item, n))
            return refuse(mapper, item, n, err);
        cursor = item + n;
    }
    memcpy(value, parsed, sizeof(parsed));
    return 0;
}

int mapper_print(const struct mapper *mapper,
                 const uint8_t *value,
                 char *buffer,
                 size_t size)
{
    const struct mapper_parameter *p = mapper->parameters;
    int n = snprintf(buffer, size, "%s", mapper->name);

    for (size_t i = 0; p && p[i].key && n >= 0; i++) {
        size_t used = (size_t)n < size ? (size_t)n : size;
        int added =
            snprintf(buffer + used, size - used, "%s%s=%s", i == 0 ? ":" : ",",
                     p[i].key, p[i].words[value[i]]);

        n += added > 0 ? added : 0;
    }
    return n;
}

uint64_t mapper_number(const struct mapper *mapper, const uint8_t *value)
{
    uint64_t number = 0;

    while (mapper_list[number] != mapper)
        number++;
    number++;
    for (size_t i = 0; i < MAPPER_PARAMETERS; i++)
        number = number << 4 | (value[i] & 15);
    return (uint64_t)1 << 40 | number;
}
