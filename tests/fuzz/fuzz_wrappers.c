/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_wrappers.c - a command line, a word a line, and the same bytes as a
 * script */
#include "config.h"

#include "fuzz.h"

#include "launch/command/wrappers.h"
#include "profiles/program/command_file.h"

#define WORDS_MOST 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = fuzz_string(data, size);
    const char *argv[WORDS_MOST];
    const char *text = (const char *)data, *end = text + size, *found;
    int argc = 0, at;

    for (char *word = line; word && argc < WORDS_MOST;) {
        char *newline = strchr(word, '\n');

        if (newline)
            *newline++ = '\0';
        argv[argc++] = word;
        word = newline;
    }
    for (int i = 0; i < argc; i++)
        if (wrapper_operand(&found, &at, argc - i, argv + i))
            EXPECT(found && at > 0 && at <= argc - i);
    while (text < end) {
        struct command_words words = {.n = 0};

        EXPECT(command_words_shell(&words, &text, end, NULL) == 0);
        EXPECT(words.n == 0 || !words.word[words.n]);
        command_words_clear(&words);
    }
    free(line);
    return 0;
}
