/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_words.c - quotes what a shell would take apart */
#include "config.h"

#include "tools/place/shell_words.h"

#include "base/buffer.h"

#include <stdio.h>
#include <string.h>

void shell_words_print_one(const char *word)
{
    struct buffer text = {0};

    if (shell_quote(&text, NULL, word, strlen(word)) == 0 && text.n > 0)
        fwrite(text.bytes, 1, text.n, stdout);
    buffer_clear(&text);
}

void shell_words_put(struct json_writer *writer,
                     const char *key,
                     char *const *word)
{
    json_begin_array(writer, key);
    for (size_t i = 0; word[i]; i++)
        json_put_string(writer, NULL, word[i]);
    json_end_array(writer);
}

void shell_words_print(char *const *word)
{
    for (size_t i = 0; word[i]; i++) {
        if (i > 0)
            putchar(' ');
        shell_words_print_one(word[i]);
    }
    putchar('\n');
}
