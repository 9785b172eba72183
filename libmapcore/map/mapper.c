/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapper.c - a mapper and its parameters as text */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "base/error_set.h"
#include "base/text.h"

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

int mapper_run(uint32_t *host,
               struct mapper_end *end,
               const struct mapper *mapper,
               const struct map_problem *problem,
               const struct mapper_call *call,
               struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    struct mapper_call own = *call;
    int error;

    own.arena = &arena;
    *end = (struct mapper_end){0};
    error = mapper->run(host, end, problem, &own);
    arena_clear(&arena);
    return error;
}

/* Writes word at place n, as far as there is space; the place behind it. */
static size_t append(char *buffer, size_t size, size_t n, const char *word)
{
    if (n < size)
        snprintf(buffer + n, size - n, "%s", word);
    return n + strlen(word);
}

/* "order=first|second,delta=all|N" */
static void describe(char *buffer, size_t size, const struct mapper *mapper)
{
    static const char *const others[] = {
        [MAPPER_WORD] = "", [MAPPER_COUNT] = "|N", [MAPPER_FILE] = "|FILE"};
    const struct mapper_parameter *p = mapper->parameters;
    size_t n = 0;

    buffer[0] = '\0';
    for (; p && p->key; p++) {
        n = append(buffer, size, n, n > 0 ? "," : "");
        n = append(buffer, size, n, p->key);
        for (size_t w = 0; p->words[w]; w++) {
            n = append(buffer, size, n, w == 0 ? "=" : "|");
            n = append(buffer, size, n, p->words[w]);
        }
        n = append(buffer, size, n, others[p->kind]);
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

/* Sets a parameter that has no such word; word: [n] characters. */
static bool set_other(struct mapper_setting *out,
                      size_t i,
                      enum mapper_kind kind,
                      uint32_t nwords,
                      const char *word,
                      size_t n)
{
    char text[MAPPER_PATH];
    uint64_t number;

    if (kind == MAPPER_WORD || n == 0 || n >= sizeof(text))
        return false;
    memcpy(text, word, n);
    text[n] = '\0';
    if (kind == MAPPER_FILE) {
        memcpy(out->path, text, n + 1);
        out->value[i] = nwords;
        return true;
    }
    if (!text_parse_u64(text, &number) || number < 1 || number >= UINT32_MAX)
        return false;
    out->value[i] = (uint32_t)number + 1;
    return true;
}

/* Sets the parameter that item[n], "key=value", names. */
static bool set(struct mapper_setting *out,
                const struct mapper *mapper,
                const char *item,
                size_t n)
{
    const struct mapper_parameter *p = mapper->parameters;

    for (size_t i = 0; p && p[i].key; i++) {
        size_t key = strlen(p[i].key);
        const char *word = item + key + 1;
        uint32_t w = 0;

        if (key >= n || strncmp(p[i].key, item, key) != 0 || item[key] != '=')
            continue;
        n -= key + 1;
        for (; p[i].words[w]; w++)
            if (strlen(p[i].words[w]) == n &&
                strncmp(p[i].words[w], word, n) == 0) {
                out->value[i] = w;
                return true;
            }
        return set_other(out, i, p[i].kind, w, word, n);
    }
    return false;
}

int mapper_parse(struct mapper_setting *out,
                 const struct mapper *mapper,
                 const char *text,
                 struct mapcore_error *err)
{
    const char *cursor = text + strlen(mapper->name);
    struct mapper_setting parsed = {0};

    /* A colon and nothing behind it: all defaults. */
    if (mapper->parameters && strcmp(cursor, ":") == 0)
        cursor++;
    while (*cursor) {
        const char *item = cursor + 1;
        size_t n = strcspn(item, ",");

        if (!set(&parsed, mapper, item, n))
            return refuse(mapper, item, n, err);
        cursor = item + n;
    }
    *out = parsed;
    return 0;
}

int mapper_print(const struct mapper *mapper,
                 const struct mapper_setting *setting,
                 char *buffer,
                 size_t size)
{
    const struct mapper_parameter *p = mapper->parameters;
    size_t n = append(buffer, size, 0, mapper->name);

    for (size_t i = 0; p && p[i].key; i++) {
        uint32_t value = setting->value[i], nwords = 0;
        char number[16];
        const char *word;

        while (p[i].words[nwords])
            nwords++;
        snprintf(number, sizeof(number), "%u", value - 1);
        word = value < nwords              ? p[i].words[value]
               : p[i].kind == MAPPER_COUNT ? number
                                           : setting->path;
        n = append(buffer, size, n, i == 0 ? ":" : ",");
        n = append(buffer, size, n, p[i].key);
        n = append(buffer, size, n, "=");
        n = append(buffer, size, n, word);
    }
    return (int)n;
}
