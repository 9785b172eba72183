/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_word.c - one word of a text for a shell */
#include "config.h"

#include "launch/command/shell_word.h"

#include "base/array.h"

#include <stdlib.h>
#include <string.h>

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t shell_word_name(const char *word)
{
    size_t n = 0;

    if (!is_letter(word[0]))
        return 0;
    while (is_letter(word[n]) || is_digit(word[n]))
        n++;
    return n;
}

static void put(struct shell_scan *scan,
                struct shell_word *word,
                const char *text,
                size_t n)
{
    if (buffer_append(&word->text, scan->err, text, n) < 0)
        scan->no_memory = true;
}

/* What stands there is known only when it runs: kept as it was written. */
static void put_unknown(struct shell_scan *scan,
                        struct shell_word *word,
                        const char *from)
{
    word->is_dynamic = true;
    put(scan, word, from, (size_t)(scan->p - from));
}

void shell_scan_skip(struct shell_scan *scan, char open, char close)
{
    size_t depth = 0;

    for (; scan->p < scan->end; scan->p++) {
        if (*scan->p == '\\' && scan->p + 1 < scan->end)
            scan->p++;
        else if (*scan->p == close && (open == close ? depth > 0 : true)) {
            if (--depth == 0) {
                scan->p++;
                return;
            }
        } else if (*scan->p == open)
            depth++;
    }
}

/* Variables that differ from task to task, whatever srun's own say. */
static bool is_of_a_task(const char *name, size_t n)
{
    static const char *const names[] = {
        "SLURM_PROCID", "SLURM_LOCALID",   "SLURM_NODEID", "SLURM_TASK_PID",
        "HOSTNAME",     "SLURMD_NODENAME", "RANDOM",       "PWD",
        "PMI_RANK",     "PMIX_RANK",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == n && memcmp(names[i], name, n) == 0)
            return true;
    return false;
}

static const char *value_of(struct shell_scan *scan, const char *name, size_t n)
{
    const char *value = NULL;
    char *copy;

    for (size_t i = scan->nset; i-- > 0;)
        if (strlen(scan->set[i].name) == n &&
            memcmp(scan->set[i].name, name, n) == 0)
            return scan->set[i].value;
    if (is_of_a_task(name, n))
        return NULL;
    if (!(copy = strndup(name, n)))
        scan->no_memory = true;
    else
        value = scan->variable(copy);
    free(copy);
    return value;
}

/* $1, or NULL. */
static const char *argument(const struct shell_scan *scan, char digit)
{
    int i = digit - '0';

    return i < scan->argc ? scan->argv[i] : NULL;
}

/* p stands behind "${": NAME}, 1}, @} and @:2}; all else is for the shell. */
static const char *take_braces(struct shell_scan *scan, struct shell_word *word)
{
    const char *name = scan->p;
    const char *close = memchr(name, '}', (size_t)(scan->end - name));
    size_t n = 0;

    scan->p--;
    shell_scan_skip(scan, '{', '}');
    if (!close)
        return NULL;
    while (name + n < close && (is_letter(name[n]) || is_digit(name[n])))
        n++;
    if (name[0] == '@' || name[0] == '*') {
        bool cut = close == name + 3 && name[1] == ':' && is_digit(name[2]);

        if (cut || close == name + 1)
            word->arguments_from = cut ? name[2] - '0' : 1;
        return NULL;
    }
    if (name + n != close || n == 0)
        return NULL;
    if (is_digit(name[0]))
        return n == 1 ? argument(scan, name[0]) : NULL;
    return value_of(scan, name, n);
}

/* p stands at a $. */
static void take_dollar(struct shell_scan *scan,
                        struct shell_word *word,
                        bool quoted)
{
    const char *from = scan->p++, *value = NULL;
    char c = scan->p < scan->end ? *scan->p : '\0';

    if (is_letter(c)) {
        size_t n = 0;

        while (scan->p + n < scan->end &&
               (is_letter(scan->p[n]) || is_digit(scan->p[n])))
            n++;
        value = value_of(scan, scan->p, n);
        scan->p += n;
    } else if (c == '{') {
        scan->p++;
        value = take_braces(scan, word);
    } else if (c == '(') {
        shell_scan_skip(scan, '(', ')');
    } else if (c == '@' || c == '*') {
        scan->p++;
        word->arguments_from = 1;
    } else if (is_digit(c)) {
        scan->p++;
        value = argument(scan, c);
    } else if (c && strchr("#?$!-", c)) {
        scan->p++;
    } else {
        put(scan, word, "$", 1);
        return;
    }
    if (word->arguments_from > 0 && !word->arguments) {
        word->arguments = from;
        word->narguments = scan->p - from;
    }
    if (value) {
        put(scan, word, value, strlen(value));
        word->splits |= !quoted;
    } else {
        put_unknown(scan, word, from);
    }
}

static void take_quoted(struct shell_scan *scan, struct shell_word *word)
{
    for (scan->p++; scan->p < scan->end && *scan->p != '"';) {
        const char *from = scan->p;

        if (*from == '\\' && from + 1 < scan->end &&
            strchr("\\\"$`", from[1])) {
            put(scan, word, from + 1, 1);
            scan->p += 2;
        } else if (*from == '$') {
            take_dollar(scan, word, true);
        } else if (*from == '`') {
            shell_scan_skip(scan, '`', '`');
            put_unknown(scan, word, from);
        } else {
            put(scan, word, from, 1);
            scan->p++;
        }
    }
    if (scan->p < scan->end)
        scan->p++;
}

static void take_single(struct shell_scan *scan, struct shell_word *word)
{
    const char *from = ++scan->p;

    while (scan->p < scan->end && *scan->p != '\'')
        scan->p++;
    put(scan, word, from, (size_t)(scan->p - from));
    if (scan->p < scan->end)
        scan->p++;
}

/* ~ and ~/..., at the beginning of a word. */
static bool take_home(struct shell_scan *scan, struct shell_word *word)
{
    const char *home = scan->variable("HOME");
    bool alone = scan->p + 1 == scan->end || strchr("/ \t\n;&|", scan->p[1]);

    if (word->text.n > 0 || !alone || !home)
        return false;
    put(scan, word, home, strlen(home));
    scan->p++;
    return true;
}

static void take_piece(struct shell_scan *scan, struct shell_word *word)
{
    const char *from = scan->p;

    switch (*from) {
    case '\\':
        scan->p++;
        if (scan->p < scan->end && *scan->p++ != '\n')
            put(scan, word, from + 1, 1);
        break;
    case '\'':
        take_single(scan, word);
        break;
    case '"':
        take_quoted(scan, word);
        break;
    case '$':
        take_dollar(scan, word, false);
        break;
    case '`':
        shell_scan_skip(scan, '`', '`');
        put_unknown(scan, word, from);
        break;
    case '~':
        if (take_home(scan, word))
            break;
        /* fallthrough */
    default:
        /* A pattern, unless it is the command [. */
        word->is_dynamic |=
            *from == '*' || *from == '?' || (*from == '[' && word->text.n > 0);
        put(scan, word, from, 1);
        scan->p++;
    }
}

void shell_scan_word(struct shell_word *out, struct shell_scan *scan)
{
    const char *from = scan->p;
    bool quoted;

    while (!scan->no_memory && scan->p < scan->end &&
           !strchr(" \t\r\n;&|()<>", *scan->p))
        take_piece(scan, out);
    /* Inside of a longer word it is nothing that we follow. */
    quoted = out->arguments == from + 1 && *from == '"';
    if (out->arguments_from > 0 &&
        (out->arguments != from + quoted ||
         out->arguments + out->narguments != scan->p - quoted))
        out->arguments_from = 0;
}

void shell_scan_blanks(struct shell_scan *scan)
{
    while (scan->p < scan->end) {
        if (*scan->p == ' ' || *scan->p == '\t' || *scan->p == '\r' ||
            *scan->p == '\0')
            scan->p++;
        else if (*scan->p == '\\' && scan->p + 1 < scan->end &&
                 scan->p[1] == '\n')
            scan->p += 2;
        else
            return;
    }
}

void shell_scan_assign(struct shell_scan *scan, const char *word, size_t n)
{
    struct shell_value value;

    if (scan->no_memory ||
        array_reserve(&scan->set, &scan->set_capacity, scan->nset + 1,
                      sizeof(*scan->set), scan->err) < 0) {
        scan->no_memory = true;
        return;
    }
    value.name = strndup(word, n);
    value.value = strpbrk(word + n + 1, "$`*?[") ? NULL : strdup(word + n + 1);
    if (!value.name)
        scan->no_memory = true;
    scan->set[scan->nset] = value;
    scan->nset += value.name != NULL;
    if (!value.name)
        free(value.value);
}

void shell_scan_shift(struct shell_scan *scan, const char *count)
{
    int n = is_digit(*count) && count[1] == '\0' ? *count - '0' : scan->argc;

    /* $0 stays what it was, and nobody asks for it. */
    if (n >= scan->argc)
        n = scan->argc > 0 ? scan->argc - 1 : 0;
    scan->argc -= n;
    scan->argv += n;
}

void shell_scan_clear(struct shell_scan *scan)
{
    for (size_t i = 0; i < scan->nset; i++) {
        free(scan->set[i].name);
        free(scan->set[i].value);
    }
    free(scan->set);
    scan->set = NULL;
    scan->nset = scan->set_capacity = 0;
}
