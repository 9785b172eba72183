/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fuzz_wrappers.c - a command line, a word a line, and the same bytes as text
 * for a shell with these words as its arguments */
#include "config.h"

#include "fuzz.h"

#include "launch/command/shell_text.h"
#include "launch/command/wrappers.h"

#define WORDS_MOST 64

static void expect_wrapper(int argc, const char *const *argv)
{
    struct wrapper found;

    wrapper_look(&found, argc, argv);
    switch (found.kind) {
    case WRAPPER_COMMAND:
    case WRAPPER_SHELL_SCRIPT:
    case WRAPPER_SCRIPT:
        EXPECT(found.at > 0 && found.at < argc);
        break;
    case WRAPPER_WORDS:
    case WRAPPER_TEXT:
    case WRAPPER_MODULE:
        EXPECT(found.text && found.at > 0 && found.at <= argc);
        break;
    case WRAPPER_NONE:
    case WRAPPER_UNKNOWN:
        break;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = fuzz_string(data, size);
    const char *argv[WORDS_MOST];
    struct shell_text text;
    int argc = 0;

    for (char *word = line; word && argc < WORDS_MOST;) {
        char *end = strchr(word, '\n');

        if (end)
            *end++ = '\0';
        argv[argc++] = word;
        word = end;
    }
    for (int i = 0; i < argc; i++)
        expect_wrapper(argc - i, argv + i);
    EXPECT(shell_text_read(&text, (const char *)data, size, argc, argv, NULL) ==
           0);
    for (size_t i = 0; i < text.n; i++) {
        EXPECT(text.command[i].argc > 0);
        EXPECT(!text.command[i].argv[text.command[i].argc]);
    }
    shell_text_clear(&text);
    free(line);
    return 0;
}
