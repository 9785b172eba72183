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

/* So many lines of --multi-prog's file are looked at. */
#define RANKS_MOST 64

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

int command_words_divide(struct command_words *words,
                         const char *text,
                         size_t n,
                         struct mapcore_error *err)
{
    const char *end = text + n;
    int error = 0;

    while (error == 0) {
        const char *from;

        while (text < end && strchr(" \t\r\n", *text))
            text++;
        for (from = text; text < end && !strchr(" \t\r\n", *text);)
            text++;
        if (text == from)
            break;
        error = add(words, from, (size_t)(text - from), err);
    }
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

int command_file_interpreter(struct command_words *out,
                             const struct buffer *text,
                             struct mapcore_error *err)
{
    const char *line, *end, *blank;
    int error;

    if (text->n < 3 || memcmp(text->bytes, "#!", 2) != 0)
        return 0;
    line = text->bytes + 2;
    end = memchr(line, '\n', text->n - 2);
    if (!end)
        end = text->bytes + text->n;
    while (line < end && strchr(" \t", *line))
        line++;
    while (end > line && strchr(" \t\r", end[-1]))
        end--;
    for (blank = line; blank < end && !strchr(" \t", *blank);)
        blank++;
    if (blank == line)
        return 0;
    error = add(out, line, (size_t)(blank - line), err);
    while (blank < end && strchr(" \t", *blank))
        blank++;
    if (error == 0 && blank < end)
        error = add(out, blank, (size_t)(end - blank), err);
    return error;
}

static bool is_ranks(const char *word)
{
    return *word && strspn(word, "0123456789,-*") == strlen(word) &&
           *word != '-' && *word != ',';
}

/* One line; *known is false for a text that is no such file. */
static int take_ranks(struct command_words *out,
                      bool *known,
                      const char *line,
                      size_t n,
                      struct mapcore_error *err)
{
    int error;

    if (memchr(line, '\0', n)) {
        *known = false;
        return 0;
    }
    if ((error = command_words_divide(out, line, n, err)) < 0 || out->n == 0)
        return error;
    if (out->word[0][0] == '#') {
        command_words_clear(out);
        return 0;
    }
    *known = out->n > 1 && is_ranks(out->word[0]);
    if (!*known)
        return 0;
    free(out->word[0]);
    memmove(out->word, out->word + 1, (size_t)out->n * sizeof(*out->word));
    out->n--;
    return 0;
}

int command_file_ranks(struct command_words **out,
                       size_t *n,
                       const struct buffer *text,
                       struct mapcore_error *err)
{
    const char *line = text->bytes, *end = line ? line + text->n : line;
    struct command_words *lines = array_alloc(RANKS_MOST, sizeof(*lines), err);
    bool known = true;
    int error = lines ? 0 : MAPCORE_ENOMEM;

    *n = 0;
    while (error == 0 && known && line < end && *n < RANKS_MOST) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *behind = newline ? newline : end;

        error =
            take_ranks(&lines[*n], &known, line, (size_t)(behind - line), err);
        *n += lines[*n].n > 0;
        line = newline ? newline + 1 : end;
    }
    if (error < 0 || !known) {
        for (size_t i = 0; lines && i < RANKS_MOST; i++)
            command_words_clear(&lines[i]);
        *n = 0;
    }
    if (*n == 0) {
        free(lines);
        lines = NULL;
    }
    *out = lines;
    return error;
}
