/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_word.c - a type of call, a file, a pattern or a plan, told by the word
 * alone */
#include "config.h"

#include "launch/graph_word.h"

#include <string.h>

/* As mapcore_pattern_is, which this room does not know; but alltoall and
 * alltoall:direct are of the profile, as type of call, and the pattern has a
 * number: alltoall:8. */
bool graph_word_is_pattern(const char *word)
{
    static const char ring[] = "ring", alltoall[] = "alltoall:";
    size_t n = strlen(alltoall);

    if (strncmp(word, ring, strlen(ring)) == 0 &&
        (word[strlen(ring)] == '\0' || word[strlen(ring)] == ':'))
        return true;
    if (strncmp(word, alltoall, n) == 0 && word[n] >= '0' && word[n] <= '9')
        return true;
    return strncmp(word, "grid:", strlen("grid:")) == 0 ||
           strncmp(word, "llm:", strlen("llm:")) == 0;
}

size_t graph_word_length(const char *text)
{
    static const char *const keys[] = {
        "tp=",     "pp=",     "dp=",  "cp=",    "ep=",
        "layers=", "hidden=", "seq=", "micro=", "batches="};
    size_t n = strcspn(text, ",");

    while (strncmp(text, "llm:", strlen("llm:")) == 0 && text[n] == ',') {
        bool is_key = false;

        for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
            is_key |= strncmp(text + n + 1, keys[i], strlen(keys[i])) == 0;
        if (!is_key)
            break;
        n += 1 + strcspn(text + n + 1, ",");
    }
    return n;
}

const char *graph_word_plan(const char *word)
{
    static const char plan[] = "plan:";

    return strncmp(word, plan, strlen(plan)) == 0 ? word + strlen(plan) : NULL;
}

bool graph_word_is_file(const char *word)
{
    static const char *const endings[] = {".graph", ".grf", ".mtx", ".edges"};
    size_t n = strlen(word);
    bool is_file = strchr(word, '/') != NULL;

    /* Which may have a / in its weights. */
    if (graph_word_is_pattern(word) || graph_word_plan(word))
        return false;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        is_file |= n > strlen(endings[i]) &&
                   strcmp(word + n - strlen(endings[i]), endings[i]) == 0;
    return is_file;
}
