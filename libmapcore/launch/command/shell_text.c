/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_text.c - divides a script at its operators, and keeps the commands that
 * are not the shell's own */
#include "config.h"

#include "launch/command/shell_text.h"

#include "base/array.h"
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

enum { COMMANDS_MOST = 64, WORDS_MOST = 256 };

/* A script being read. */
struct shell_scan {
    struct shell_text *out;
    const char *p, *end;
    int argc;
    const char *const *argv;
    struct shell_command command; /* the words so far */
    struct buffer word;
    bool is_word, splits, skips; /* skips: the next word is a redirection's */
    const char *folder;          /* owned by out's commands, or `buffer` */
    struct buffer path;          /* of cd */
    struct mapcore_error *err;
};

static bool is_among(const char *word, const char *const *list)
{
    for (; *list; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

static void clear_command(struct shell_command *command)
{
    for (int i = 0; i < command->argc; i++)
        free(command->argv[i]);
    free(command->argv);
    free(command->folder);
    *command = (struct shell_command){0};
}

void shell_text_clear(struct shell_text *text)
{
    for (size_t i = 0; i < text->n; i++)
        clear_command(&text->command[i]);
    free(text->command);
    *text = (struct shell_text){0};
}

static int add_word(struct shell_scan *scan, const char *word)
{
    struct shell_command *command = &scan->command;

    if (!command->argv)
        command->argv =
            array_alloc(WORDS_MOST + 1, sizeof(*command->argv), scan->err);
    if (!command->argv)
        return MAPCORE_ENOMEM;
    if (command->argc == WORDS_MOST) {
        scan->out->is_plain = false;
        return 0;
    }
    command->argv[command->argc] =
        array_copy(word, strlen(word) + 1, 1, scan->err);
    return command->argv[command->argc] ? (command->argc++, 0) : MAPCORE_ENOMEM;
}

/* NAME=VALUE before a command. */
static bool is_assignment(const char *word)
{
    const size_t n = strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQR"
                                  "STUVWXYZ0123456789_");

    return n > 0 && word[n] == '=' && !strchr("0123456789", *word);
}

static int end_word(struct shell_scan *scan)
{
    static const char *const keywords[] = {
        "if",   "then",   "else", "elif", "fi", "for",      "while", "until",
        "do",   "done",   "case", "esac", "{",  "}",        "!",     "in",
        "eval", "select", "time", "[[",   "]]", "function", NULL};
    static const char *const prefixes[] = {"exec", "command", "builtin", NULL};
    const char *word = scan->word.bytes ? scan->word.bytes : "";
    int error = 0;

    if (!scan->is_word)
        return 0;
    if (scan->skips) {
        scan->skips = false;
    } else if (strcmp(word, "$@") == 0 || strcmp(word, "${@}") == 0 ||
               strcmp(word, "$*") == 0) {
        for (int i = 1; error == 0 && i < scan->argc; i++)
            error = add_word(scan, scan->argv[i]);
    } else if (scan->command.argc > 0) {
        error = add_word(scan, word);
    } else if (is_assignment(word)) {
        scan->out->is_plain =
            scan->out->is_plain && strncmp(word, "PATH=", 5) != 0;
    } else if (is_among(word, keywords)) {
        scan->out->is_plain = false;
    } else if (!is_among(word, prefixes)) {
        scan->command.is_dynamic = strpbrk(word, "$`") != NULL;
        error = add_word(scan, word);
    }
    buffer_clear(&scan->word);
    scan->is_word = false;
    return error;
}

/* cd FOLDER: of all commands behind it. */
static int change_folder(struct shell_scan *scan, const char *to)
{
    struct buffer path = {0};
    const bool is_known = to && !strpbrk(to, "$`~") && strcmp(to, "-") != 0;
    int error;

    if (is_known && *to == '/')
        error = buffer_printf(&path, scan->err, "%s", to);
    else if (is_known && !(scan->folder && !*scan->folder))
        error = buffer_printf(&path, scan->err, "%s%s%s",
                              scan->folder ? scan->folder : "",
                              scan->folder ? "/" : "", to);
    else
        error = buffer_printf(&path, scan->err, "%s", "");
    buffer_clear(&scan->path);
    scan->path = path;
    scan->folder = path.bytes;
    return error;
}

static int end_command(struct shell_scan *scan)
{
    static const char *const own[] = {
        ":",      "[",       "alias",  "break",  "cd",    "continue", "declare",
        "echo",   "exit",    "export", "false",  "let",   "local",    "ml",
        "module", "popd",    "printf", "pushd",  "pwd",   "read",     "return",
        "set",    "shift",   "shopt",  "source", "spack", "test",     "trap",
        "true",   "typeset", "ulimit", "umask",  "unset", "readonly", "getopts",
        ".",      "wait",    NULL};
    /* PATH may be another behind these. */
    static const char *const changing[] = {".",  "source", "module",
                                           "ml", "spack",  NULL};
    struct shell_command *command = &scan->command;
    struct shell_text *out = scan->out;
    int error = end_word(scan);
    const char *first = command->argc > 0 ? command->argv[0] : "";

    scan->skips = false;
    if (error == 0 && strcmp(first, "cd") == 0)
        error =
            change_folder(scan, command->argc > 1 ? command->argv[1] : NULL);
    if (error == 0 && strcmp(first, "shift") == 0 && scan->argc > 1) {
        scan->argc--;
        scan->argv++;
    }
    if (is_among(first, changing) ||
        (strcmp(first, "export") == 0 && command->argc > 1 &&
         strncmp(command->argv[1], "PATH=", 5) == 0))
        out->is_plain = false;
    if (error < 0 || *first == '\0' || is_among(first, own) ||
        out->n == COMMANDS_MOST) {
        out->is_plain = out->is_plain && out->n < COMMANDS_MOST;
        clear_command(command);
        return error;
    }
    if (scan->folder &&
        !(command->folder =
              array_copy(scan->folder, strlen(scan->folder) + 1, 1, scan->err)))
        return MAPCORE_ENOMEM;
    out->command[out->n++] = *command;
    *command = (struct shell_command){0};
    return 0;
}

static int put(struct shell_scan *scan, char c)
{
    scan->is_word = true;
    return buffer_append(&scan->word, scan->err, &c, 1);
}

/* p stands behind the quote. */
static int take_quoted(struct shell_scan *scan, char quote)
{
    int error = 0;

    scan->is_word = true;
    for (; error == 0 && scan->p < scan->end && *scan->p != quote; scan->p++) {
        if (quote == '"' && *scan->p == '\\' && scan->p + 1 < scan->end)
            scan->p++;
        error = put(scan, *scan->p);
    }
    scan->p += scan->p < scan->end;
    return error;
}

/* > FILE, 2>&1, <FILE: no words of the command. */
static int take_redirection(struct shell_scan *scan)
{
    int error = 0;

    /* 2> */
    if (scan->word.n > 0 &&
        strspn(scan->word.bytes, "0123456789") == scan->word.n) {
        buffer_clear(&scan->word);
        scan->is_word = false;
    } else {
        error = end_word(scan);
    }
    while (scan->p < scan->end && strchr("<>&|", *scan->p))
        scan->p++;
    scan->skips = true;
    return error;
}

static int take_character(struct shell_scan *scan)
{
    const char c = *scan->p++;

    if (c == '#' && !scan->is_word) {
        while (scan->p < scan->end && *scan->p != '\n')
            scan->p++;
        return 0;
    }
    if (c == '\'' || c == '"')
        return take_quoted(scan, c);
    if (c == '\\') {
        if (scan->p < scan->end && *scan->p++ != '\n')
            return put(scan, scan->p[-1]);
        return 0;
    }
    if (c == '<' || c == '>')
        return take_redirection(scan);
    if (c == '\0' || strchr(" \t\r", c))
        return end_word(scan);
    if (strchr(";&|\n()", c)) {
        if (c == '(' && scan->word.n > 0 &&
            scan->word.bytes[scan->word.n - 1] == '$')
            scan->command.is_dynamic = scan->command.argc == 0;
        scan->out->is_plain = scan->out->is_plain && c != '(' && c != ')';
        return end_command(scan);
    }
    return put(scan, c);
}

int shell_text_read(struct shell_text *out,
                    const char *text,
                    size_t n,
                    int argc,
                    const char *const *argv,
                    struct mapcore_error *err)
{
    struct shell_scan scan = {.out = out,
                              .p = text,
                              .end = text + n,
                              .argc = argc,
                              .argv = argv,
                              .err = err};
    int error = 0;

    *out = (struct shell_text){.is_plain = true};
    out->command = array_alloc(COMMANDS_MOST, sizeof(*out->command), err);
    if (!out->command)
        return MAPCORE_ENOMEM;
    while (error == 0 && scan.p < scan.end)
        error = take_character(&scan);
    if (error == 0)
        error = end_command(&scan);
    clear_command(&scan.command);
    buffer_clear(&scan.word);
    buffer_clear(&scan.path);
    if (error < 0)
        shell_text_clear(out);
    return error;
}
