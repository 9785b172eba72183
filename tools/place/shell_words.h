/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_words.h - words as one types them to a shell, on stdout */
#ifndef TOOLS_SHELL_WORDS_H
#define TOOLS_SHELL_WORDS_H

#include "json/json.h"

/* A word, in quotes where a shell needs them. */
void shell_words_print_one(const char *word);
/* All up to a NULL, as an array of strings. */
void shell_words_put(struct json_writer *writer,
                     const char *key,
                     char *const *word);
/* The same, and the end of the line. */
void shell_words_print(char *const *word);

#endif
