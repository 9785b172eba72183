/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapper.c - the mappers that there are, and their parameters as text */
#include "config.h"

#include "map/mapper.h"

#include "base/array.h"
#include "base/error_set.h"
#include "base/text.h"
#include "map/map.h"

#include <stdio.h>
#include <string.h>

static const struct mapper parmapper = {
    .name = "parmapper",
    .summary = "all of GreedyMap's configurations, chosen among by Pareto",
    .source = "Galvez, Jain, Kale, ICS 2017, section 4.2",
};

const struct mapper *const mapper_list[] = {
    &mapper_default,    &mapper_block,  &mapper_cyclic, &mapper_greedymap,
    &parmapper,         &mapper_rb,     &mapper_plane,  &mapper_walk,
    &mapper_list_curve, &mapper_topolb, &mapper_faq,    &mapper_hs_greedy,
    &mapper_hs_rb,      &mapper_hs_rcm, &mapper_grid,   &mapper_multilevel,
    &mapper_bottom_up,  &mapper_random, NULL,
};

bool mapcore_mapper_get(struct mapcore_mapper *out, size_t index)
{
    for (size_t i = 0; mapper_list[i]; i++)
        if (i == index) {
            *out = (struct mapcore_mapper){mapper_list[i]->name,
                                           mapper_list[i]->summary,
                                           mapper_list[i]->source};
            return true;
        }
    return false;
}

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

    own.problem = problem;
    own.host = host;
    own.end = end;
    own.arena = &arena;
    *end = (struct mapper_end){0};
    error = mapper->run(&own);
    arena_clear(&arena);
    return error;
}

/* Writes a word of that length at place n, as far as there is space; the place
 * behind it. */
static size_t append(char *buffer,
                     size_t size,
                     size_t n,
                     const char *word,
                     size_t length)
{
    if (n < size)
        snprintf(buffer + n, size - n, "%.*s", (int)length, word);
    return n + length;
}

/* Takes the next of the words that *words, "word|word,key=...", begins with,
 * and its length; false behind the last. */
static bool next_word(const char **words, const char **word, size_t *n)
{
    *word = *words;
    *n = strcspn(*words, "|,");
    *words += *n + ((*words)[*n] == '|');
    return *n > 0;
}

static bool is_word(const char *word, size_t n, const char *text)
{
    return strlen(text) == n && strncmp(word, text, n) == 0;
}

/* From a parameter to the next; NULL behind the last. */
static const char *next_parameter(const char *parameter)
{
    const char *comma = strchr(parameter, ',');

    return comma ? comma + 1 : NULL;
}

/* Sets parameter i, of these words, to a text of n characters. */
static bool set_value(struct mapper_setting *out,
                      size_t i,
                      const char *words,
                      const char *value,
                      size_t n)
{
    char text[MAPPER_PATH];
    const char *word;
    uint64_t number;
    size_t length;

    if (n == 0 || n >= sizeof(text))
        return false;
    memcpy(text, value, n);
    text[n] = '\0';
    for (uint32_t w = 0; next_word(&words, &word, &length); w++) {
        if (is_word(word, length, "FILE")) {
            memcpy(out->path, text, n + 1);
            out->value[i] = w;
            return true;
        }
        if (is_word(word, length, "N")) {
            if (!text_parse_u64(text, &number) || number < 1 ||
                number >= UINT32_MAX)
                return false;
            out->value[i] = (uint32_t)number + 1;
            return true;
        }
        if (is_word(word, length, text)) {
            out->value[i] = w;
            return true;
        }
    }
    return false;
}

/* Sets the parameter that item[n], "key=value", names. */
static bool set(struct mapper_setting *out,
                const struct mapper *mapper,
                const char *item,
                size_t n)
{
    const char *p = mapper->parameters;

    for (size_t i = 0; p; i++, p = next_parameter(p)) {
        size_t key = strcspn(p, "=") + 1;

        if (n >= key && strncmp(p, item, key) == 0)
            return set_value(out, i, p + key, item + key, n - key);
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
            return error_set(err, MAPCORE_EINVAL, "%s: \"%.*s\": %s%s",
                             mapper->name, n < 80 ? (int)n : 80, item,
                             mapper->parameters ? "it may be "
                                                : "it takes no parameters",
                             mapper->parameters ? mapper->parameters : "");
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
    const char *p = mapper->parameters;
    size_t n = append(buffer, size, 0, mapper->name, strlen(mapper->name));

    for (size_t i = 0; p; i++, p = next_parameter(p)) {
        uint32_t value = setting->value[i], w = 0;
        const char *words = p + strcspn(p, "=") + 1, *word;
        char number[16];
        size_t length;

        n = append(buffer, size, n, i == 0 ? ":" : ",", 1);
        n = append(buffer, size, n, p, (size_t)(words - p));
        while (next_word(&words, &word, &length) && w < value &&
               !is_word(word, length, "N"))
            w++;
        if (is_word(word, length, "N")) {
            snprintf(number, sizeof(number), "%u", value - 1);
            length = strlen(word = number);
        } else if (is_word(word, length, "FILE")) {
            length = strlen(word = setting->path);
        }
        n = append(buffer, size, n, word, length);
    }
    return (int)n;
}
