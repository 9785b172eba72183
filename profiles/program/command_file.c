/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* command_file.c - text files that stand for commands */
#include "config.h"

#include "profiles/program/command_file.h"

#include "base/array.h"
#include "base/file_read.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int add(struct command_words *words,
               const char *word,
               size_t n,
               struct mapcore_error *err)
{
    int error = array_reserve(&words->word, &words->capacity,
                              (size_t)words->n + 2, sizeof(*words->word), err);

    if (error < 0)
        return error;
    if (!(words->word[words->n] = strndup(word, n)))
        return error_set(err, MAPCORE_ENOMEM, "no memory for a command");
    words->word[++words->n] = NULL;
    return 0;
}

int command_words_add(struct command_words *words,
                      const char *word,
                      struct mapcore_error *err)
{
    return add(words, word, strlen(word), err);
}

/* Adds one word, which may be in quotes or have some; *text moves past it. */
static int add_shell_word(struct command_words *out,
                          const char **text,
                          const char *end,
                          struct mapcore_error *err)
{
    struct buffer word = {.err = err};
    const char *p = *text;
    char quote = '\0';
    int error;

    for (; p < end && (quote || !strchr(" \t\n;|()`", *p)); p++) {
        /* 2>&1 and &>file are words. */
        if (!quote && *p == '&' && !(p > *text && p[-1] == '>') &&
            !(p + 1 < end && p[1] == '>'))
            break;
        if (*p == quote)
            quote = '\0';
        else if (!quote && (*p == '\'' || *p == '"'))
            quote = *p;
        else if (*p == '\\' && quote != '\'' && p + 1 < end) {
            p++;
            buffer_append(&word, p, *p != '\n');
        } else {
            buffer_append(&word, p, 1);
        }
    }
    if ((error = word.error) == 0)
        error = add(out, word.n ? word.bytes : "", word.n, err);
    buffer_clear(&word);
    *text = p;
    return error;
}

int command_words_shell(struct command_words *out,
                        const char **text,
                        const char *end,
                        struct mapcore_error *err)
{
    const char *p = *text;
    int error = 0;

    while (error == 0 && p < end && !strchr("\n;|()`", *p) &&
           !(*p == '&' && !(p + 1 < end && p[1] == '>'))) {
        if (*p == '#')
            while (p < end && *p != '\n')
                p++;
        else if (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\0')
            p++;
        else if (*p == '\\' && p + 1 < end && p[1] == '\n')
            p += 2;
        else
            error = add_shell_word(out, &p, end, err);
    }
    *text = p < end ? p + 1 : end;
    return error;
}

void command_words_clear(struct command_words *words)
{
    for (int i = 0; i < words->n; i++)
        free(words->word[i]);
    free(words->word);
    *words = (struct command_words){.n = 0};
}

int command_file_read(struct buffer *out,
                      const char *path,
                      struct mapcore_error *err)
{
    bool more = true;
    int fd, error = file_open_at(&fd, AT_FDCWD, path, FILE_REGULAR, err);

    if (error < 0)
        return error;
    while (error == 0 && more && out->n < COMMAND_FILE_MOST)
        error =
            file_read_some(out, &more, fd, path, 2 * COMMAND_FILE_MOST, err);
    close(fd);
    return error;
}
