/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_words.c - quotes what a shell would take apart */
#include "config.h"

#include "tools/place/shell_words.h"

#include <stdio.h>
#include <string.h>

void shell_words_print_one(const char *word)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
                                "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                "_-+=:,./@%";

    if (*word != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, stdout);
        return;
    }
    putchar('\'');
    for (; *word; word++)
        if (*word == '\'')
            fputs("'\\''", stdout);
        else
            putchar(*word);
    putchar('\'');
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
