/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_file.h - the commands in a text: a script's lines, what follows #!,
 * and the file of srun --multi-prog */
#ifndef PROFILES_COMMAND_FILE_H
#define PROFILES_COMMAND_FILE_H

#include "base/buffer.h"

/* Of a script no more is read, and it is judged by that. */
#define COMMAND_FILE_MOST 65536

/* Words, each owned; word[n] is NULL. */
struct command_words {
    char **word;
    int n;
    size_t capacity;
};
int command_words_add(struct command_words *words,
                      const char *word,
                      struct mapcore_error *err);
/* The next command of a text for a shell, at *text, which moves past it: what
 * stands between two of ;&|() and line ends, its quotes taken off. No words:
 * the text is over, or such characters follow one another. */
int command_words_shell(struct command_words *out,
                        const char **text,
                        const char *end,
                        struct mapcore_error *err);
void command_words_clear(struct command_words *words);

/* The beginning of a regular file. Errors: EIO, ENOMEM. */
int command_file_read(struct buffer *out,
                      const char *path,
                      struct mapcore_error *err);

#endif
