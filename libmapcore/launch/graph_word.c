/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* graph_word.c - a type of call, a file or a pattern, told by the word alone */
#include "config.h"

#include "launch/graph_word.h"

#include <string.h>

bool graph_word_is_pattern(const char *word)
{
    return strncmp(word, "grid:", strlen("grid:")) == 0;
}

bool graph_word_is_file(const char *word)
{
    static const char *const endings[] = {".graph", ".grf", ".mtx", ".edges"};
    size_t n = strlen(word);
    bool is_file = strchr(word, '/') != NULL;

    /* Which may have a / in its weights. */
    if (graph_word_is_pattern(word))
        return false;
    for (size_t i = 0; i < sizeof(endings) / sizeof(*endings); i++)
        is_file |= n > strlen(endings[i]) &&
                   strcmp(word + n - strlen(endings[i]), endings[i]) == 0;
    return is_file;
}
