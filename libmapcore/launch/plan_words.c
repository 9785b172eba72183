/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_words.c - the words of a launch, read */
#include "config.h"

#include "launch/plan_words.h"

#include "base/error_set.h"
#include "base/text.h"

#include <string.h>

/* As mapcore_pattern_is, which this room does not know; but alltoall and
 * alltoall:direct are of the profile, as type of call, and the pattern has a
 * number: alltoall:8. */
bool graph_word_is_pattern(const char *word)
{
    const char *ring = text_after(word, "ring");

    return (ring && (*ring == '\0' || *ring == ':')) ||
           text_after_form(word, "alltoall:#") || text_after(word, "grid:") ||
           text_after(word, "llm:");
}

size_t graph_word_length(const char *text)
{
    static const char *const keys[] = {
        "tp=",     "pp=",     "dp=",  "cp=",    "ep=",
        "layers=", "hidden=", "seq=", "micro=", "batches="};
    size_t n = strcspn(text, ",");

    while (text_after(text, "llm:") && text[n] == ',') {
        bool is_key = false;

        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            is_key |= text_after(text + n + 1, keys[i]) != NULL;
        if (!is_key)
            break;
        n += 1 + strcspn(text + n + 1, ",");
    }
    return n;
}

const char *graph_word_plan(const char *word)
{
    return text_after(word, "plan:");
}

bool graph_word_is_file(const char *word)
{
    static const char *const endings[] = {".graph", ".grf", ".mtx", ".edges"};
    bool is_file = strchr(word, '/') != NULL;

    /* Which may have a / in its weights. */
    if (graph_word_is_pattern(word) || graph_word_plan(word))
        return false;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        is_file |= text_ends_in(word, endings[i]);
    return is_file;
}

bool graph_word_is_whole(const char *word)
{
    return graph_word_is_file(word) || graph_word_is_pattern(word) ||
           graph_word_plan(word);
}

#define MOST_RANK  (UINT32_MAX - 1)
#define SEPARATORS "+,"

bool unit_word_parse(uint32_t *out, const char *word)
{
    uint64_t n;

    if (strcmp(word, "rank") == 0)
        *out = 1;
    else if (strcmp(word, "node") == 0)
        *out = UNIT_NODE;
    else if (text_parse_u64(word, &n) && n > 0 && n < UNIT_NODE)
        *out = (uint32_t)n;
    else
        return false;
    return true;
}

static bool take_item(struct pin_words *out, const char **cursor)
{
    uint64_t first, last;

    if (!text_take_range(cursor, MOST_RANK, &first, &last))
        return false;
    out->first = (uint32_t)first;
    out->last = (uint32_t)last;
    out->node = NULL;
    out->nnode = 0;
    if (**cursor == '@') {
        out->node = ++*cursor;
        out->nnode = strcspn(*cursor, SEPARATORS);
        *cursor += out->nnode;
        if (out->nnode == 0)
            return false;
    }
    return **cursor == '\0' || strchr(SEPARATORS, **cursor);
}

int pin_words_next(struct pin_words *out,
                   const char **cursor,
                   struct mapcore_error *err)
{
    const char *text = *cursor;

    if (*text == '\0' || strcmp(text, "off") == 0)
        return 0;
    if (!take_item(out, cursor))
        return error_set(err, MAPCORE_EINVAL,
                         "pin: '%.40s' is not RANK, RANK-RANK or either with "
                         "@NODE",
                         text);
    *cursor += **cursor != '\0';
    return 1;
}

bool pin_words_check(const char *text)
{
    const char *cursor = text;
    struct pin_words words;
    int more;

    if (*text == '\0')
        return false;
    while ((more = pin_words_next(&words, &cursor, NULL)) > 0)
        ;
    return more == 0;
}
