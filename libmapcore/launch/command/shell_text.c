/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shell_text.c - reads text for a shell without running it: words, quotes,
 * variables that are known, the places where a command begins. What it does not
 * understand makes the text less plain, never a guess. */
#include "config.h"

#include "launch/command/shell_text.h"

#include "launch/command/shell_word.h"

#include "base/array.h"
#include "base/buffer.h"

#include <stdlib.h>
#include <string.h>

#define COMMANDS_MOST 64
#define WORDS_MOST    256

/* The text, the words of the command that is being read, and what the commands
 * before it have changed. */
struct shell_reading {
    struct shell_scan scan;
    struct shell_text *out;
    char **word;
    size_t nwords, word_capacity, capacity;
    bool first_dynamic; /* word[0] */
    bool path_changed;  /* names without a slash mean others now */
    char *folder;       /* as of shell_command */
    struct buffer
        here_end; /* of a here-document that begins at the next line */
};

/* Commands of every shell, and those of a system that prepare or look. None of
 * them starts the program. */
static const char *const preparing[] = {
    ":",        "[",          "[[",       "alias",   "awk",      "basename",
    "bc",       "bind",       "break",    "cat",     "chmod",    "continue",
    "cp",       "cut",        "date",     "declare", "df",       "dirname",
    "du",       "echo",       "exit",     "expr",    "false",    "find",
    "free",     "getopts",    "grep",     "head",    "hostname", "id",
    "install",  "jobs",       "kill",     "let",     "ln",       "local",
    "ls",       "lscpu",      "lstopo",   "mkdir",   "mktemp",   "mv",
    "nproc",    "nvidia-smi", "printenv", "printf",  "pwd",      "read",
    "readonly", "return",     "rm",       "rmdir",   "rocm-smi", "scontrol",
    "sed",      "seq",        "shopt",    "sleep",   "sort",     "sync",
    "tail",     "tar",        "tee",      "test",    "touch",    "tr",
    "trap",     "true",       "type",     "typeset", "ulimit",   "umask",
    "unalias",  "uname",      "uniq",     "uptime",  "wait",     "wc",
    "which",    "who",        "whoami",
};

/* Those that may change what a name stands for. */
static const char *const path_changing[] = {
    ".", "source", "module", "ml", "spack", "conda", "hash", "use",
};

static bool is_among(const char *const *list, size_t n, const char *word)
{
    for (size_t i = 0; i < n; i++)
        if (strcmp(list[i], word) == 0)
            return true;
    return false;
}

#define IS_AMONG(list, word)                                                   \
    is_among(list, sizeof(list) / sizeof(list[0]), word)

static void clear_words(struct shell_reading *reading)
{
    for (size_t i = 0; i < reading->nwords; i++)
        free(reading->word[i]);
    reading->nwords = 0;
    reading->first_dynamic = false;
}

/* A copy; false without memory, as the scan will say. */
static bool add_word(struct shell_reading *reading,
                     const char *text,
                     bool is_dynamic)
{
    struct mapcore_error *err = reading->scan.err;

    if (reading->nwords == WORDS_MOST) {
        reading->out->is_plain = false;
        return true;
    }
    if (array_reserve(&reading->word, &reading->word_capacity,
                      reading->nwords + 2, sizeof(*reading->word), err) < 0 ||
        !(reading->word[reading->nwords] =
              array_copy(text, strlen(text) + 1, 1, err))) {
        reading->scan.no_memory = true;
        return false;
    }
    reading->first_dynamic |= reading->nwords == 0 && is_dynamic;
    reading->nwords++;
    return true;
}

/* "$@" is all arguments from one on, and an unquoted variable as many words as
 * its value has. */
static void add_words(struct shell_reading *reading,
                      const struct shell_word *word)
{
    const struct shell_scan *scan = &reading->scan;

    if (word->arguments_from > 0) {
        for (int i = word->arguments_from; i < scan->argc; i++)
            if (!add_word(reading, scan->argv[i], false))
                return;
        return;
    }
    if (!word->splits) {
        add_word(reading, word->text.bytes ? word->text.bytes : "",
                 word->is_dynamic);
        return;
    }
    for (const char *p = word->text.bytes ? word->text.bytes : ""; *p;) {
        size_t n = strcspn(p, " \t\n");
        char *piece = n > 0 ? strndup(p, n) : NULL;

        if (n > 0 && !piece)
            reading->scan.no_memory = true;
        else if (n > 0)
            add_word(reading, piece, word->is_dynamic);
        free(piece);
        p += n + strspn(p + n, " \t\n");
    }
}

static void set_folder(struct shell_reading *reading, const char *folder)
{
    char *copy = strdup(folder);

    reading->scan.no_memory |= !copy;
    free(reading->folder);
    reading->folder = copy;
}

/* cd DIR */
static void change_folder(struct shell_reading *reading)
{
    const char *home = reading->scan.variable("HOME");
    const char *to = reading->nwords > 1 ? reading->word[1] : home ? home : "";
    struct buffer path = {0};

    if (strcmp(to, "--") == 0 && reading->nwords > 2)
        to = reading->word[2];
    if (*to == '-' || *to == '\0' || strpbrk(to, "$`*?[~")) {
        set_folder(reading, "");
    } else if (*to == '/' || !reading->folder) {
        set_folder(reading, to);
    } else if (*reading->folder) {
        if (buffer_printf(&path, reading->scan.err, "%s/%s", reading->folder,
                          to) == 0)
            set_folder(reading, path.bytes);
        else
            reading->scan.no_memory = true;
        buffer_clear(&path);
    }
}

/* A=1 B=2 in front of a command, or as the words of export. The number of words
 * from i on that are such. */
static size_t take_assignments(struct shell_reading *reading, size_t i)
{
    size_t begin = i;

    for (; i < reading->nwords; i++) {
        const char *word = reading->word[i];
        size_t n = shell_word_name(word);

        if (n == 0 || word[n] != '=')
            break;
        if (n == 4 && memcmp(word, "PATH", 4) == 0)
            reading->path_changed = true;
        shell_scan_assign(&reading->scan, word, n);
    }
    return i - begin;
}

static void drop_words(struct shell_reading *reading, size_t n)
{
    for (size_t i = 0; i < n; i++)
        free(reading->word[i]);
    memmove(reading->word, reading->word + n,
            (reading->nwords - n) * sizeof(*reading->word));
    reading->nwords -= n;
    /* What nobody knows is kept as it was written. [ is a command. */
    reading->first_dynamic = reading->nwords > 0 && *reading->word[0] &&
                             (strpbrk(reading->word[0], "$`*?") ||
                              strchr(reading->word[0] + 1, '['));
}

/* if, then, {: a command may follow in the same breath. */
static void drop_reserved(struct shell_reading *reading)
{
    static const char *const leading[] = {
        "if",    "then", "elif", "else", "while",
        "until", "do",   "{",    "!",    "coproc",
    };
    static const char *const whole[] = {
        "for", "select", "case", "function", "fi", "done", "esac", "}", "in",
    };

    while (reading->nwords > 0 && !reading->first_dynamic) {
        if (IS_AMONG(whole, reading->word[0])) {
            reading->out->is_plain = false;
            clear_words(reading);
        } else if (IS_AMONG(leading, reading->word[0])) {
            reading->out->is_plain = false;
            drop_words(reading, 1);
        } else if (strcmp(reading->word[0], "time") == 0) {
            drop_words(reading, reading->nwords > 1 &&
                                        strcmp(reading->word[1], "-p") == 0
                                    ? 2
                                    : 1);
        } else {
            return;
        }
    }
}

/* True: the command was one of the shell's own, and is done with. */
static bool is_own(struct shell_reading *reading)
{
    const char *name = reading->word[0];

    if (reading->first_dynamic)
        return false;
    if (strcmp(name, "cd") == 0 || strcmp(name, "pushd") == 0)
        change_folder(reading);
    else if (strcmp(name, "popd") == 0)
        set_folder(reading, "");
    else if (strcmp(name, "export") == 0)
        take_assignments(reading, 1);
    else if (strcmp(name, "shift") == 0)
        shell_scan_shift(&reading->scan,
                         reading->nwords > 1 ? reading->word[1] : "1");
    else if (strcmp(name, "set") == 0 || strcmp(name, "unset") == 0)
        reading->out->is_plain &=
            reading->nwords < 2 || strcmp(reading->word[1], "--") != 0;
    else if (IS_AMONG(path_changing, name) &&
             (reading->nwords < 2 || strcmp(reading->word[1], "run") != 0))
        reading->path_changed = true;
    else if (strcmp(name, "exec") == 0 && reading->nwords == 1)
        return true;
    else if (!IS_AMONG(preparing, name))
        return false;
    return true;
}

static void keep_command(struct shell_reading *reading)
{
    struct shell_text *out = reading->out;
    struct shell_command *command;

    if (out->n == COMMANDS_MOST) {
        out->is_plain = false;
        return;
    }
    if (array_reserve(&out->command, &reading->capacity, out->n + 1,
                      sizeof(*command), reading->scan.err) < 0) {
        reading->scan.no_memory = true;
        return;
    }
    command = &out->command[out->n];
    *command = (struct shell_command){
        .argc = (int)reading->nwords,
        .is_dynamic =
            reading->first_dynamic || strcmp(reading->word[0], "eval") == 0,
    };
    if (reading->folder && !(command->folder = strdup(reading->folder))) {
        reading->scan.no_memory = true;
        return;
    }
    out->n++;
    if (command->is_dynamic ||
        (reading->path_changed && !strchr(reading->word[0], '/')))
        out->is_plain = false;
    reading->word[reading->nwords] = NULL;
    command->argv = reading->word;
    reading->word = NULL;
    reading->nwords = reading->word_capacity = 0;
    reading->first_dynamic = false;
}

static void end_command(struct shell_reading *reading)
{
    if (reading->nwords > 0) {
        drop_reserved(reading);
        drop_words(reading, take_assignments(reading, 0));
        drop_reserved(reading);
    }
    if (reading->nwords > 0 && !is_own(reading))
        keep_command(reading);
    clear_words(reading);
}

/* 2>&1, >file, <<END; the file's name is nothing to us. */
static void skip_redirection(struct shell_reading *reading)
{
    struct shell_scan *scan = &reading->scan;
    struct shell_word word = {0};
    bool is_here = scan->p + 1 < scan->end && scan->p[0] == '<' &&
                   scan->p[1] == '<' &&
                   (scan->p + 2 == scan->end || scan->p[2] != '<');

    while (scan->p < scan->end && strchr("<>&|-", *scan->p))
        scan->p++;
    if (scan->p < scan->end && *scan->p == '(') {
        shell_scan_skip(scan, '(', ')');
        return;
    }
    shell_scan_blanks(scan);
    shell_scan_word(&word, scan);
    if (is_here) {
        buffer_clear(&reading->here_end);
        if (buffer_printf(&reading->here_end, scan->err, "%s",
                          word.text.bytes ? word.text.bytes : "") < 0)
            scan->no_memory = true;
    }
    buffer_clear(&word.text);
}

static void skip_here_document(struct shell_reading *reading)
{
    struct shell_scan *scan = &reading->scan;
    const char *mark = reading->here_end.bytes;

    while (mark && scan->p < scan->end) {
        const char *newline =
            memchr(scan->p, '\n', (size_t)(scan->end - scan->p));
        const char *behind = newline ? newline : scan->end;
        const char *line = scan->p;

        while (line < behind && *line == '\t')
            line++;
        scan->p = newline ? newline + 1 : scan->end;
        if ((size_t)(behind - line) == reading->here_end.n &&
            memcmp(line, mark, reading->here_end.n) == 0)
            break;
    }
    buffer_clear(&reading->here_end);
}

/* What stands at p is no word: a separator, a comment, a redirection. */
static bool take_operator(struct shell_reading *reading)
{
    struct shell_scan *scan = &reading->scan;
    char c = *scan->p;

    if (c == '#') {
        while (scan->p < scan->end && *scan->p != '\n')
            scan->p++;
    } else if (c == '<' || c == '>' ||
               (c == '&' && scan->p + 1 < scan->end && scan->p[1] == '>')) {
        skip_redirection(reading);
    } else if (strchr("\n;&|()", c)) {
        if (c == '(' || c == ')')
            reading->out->is_plain = false;
        end_command(reading);
        scan->p++;
        if (c == '\n')
            skip_here_document(reading);
    } else {
        return false;
    }
    return true;
}

static void read_all(struct shell_reading *reading)
{
    struct shell_scan *scan = &reading->scan;

    for (;;) {
        struct shell_word word = {0};

        shell_scan_blanks(scan);
        if (scan->no_memory || scan->p >= scan->end)
            break;
        if (take_operator(reading))
            continue;
        shell_scan_word(&word, scan);
        /* The number of a descriptor belongs to what is redirected. */
        if (!(scan->p < scan->end && strchr("<>", *scan->p) &&
              word.text.n > 0 &&
              strspn(word.text.bytes, "0123456789") == word.text.n))
            add_words(reading, &word);
        buffer_clear(&word.text);
    }
    end_command(reading);
}

int shell_text_read(struct shell_text *out,
                    const char *text,
                    size_t n,
                    int argc,
                    const char *const *argv,
                    const char *(*variable)(const char *name),
                    struct mapcore_error *err)
{
    struct shell_reading reading = {
        .scan = {.p = text,
                 .end = text + n,
                 .argc = argc,
                 .argv = argv,
                 .variable = variable,
                 .err = err},
        .out = out,
    };
    int error = 0;

    *out = (struct shell_text){.is_plain = true};
    read_all(&reading);
    if (reading.scan.no_memory) {
        shell_text_clear(out);
        error = error_set(err, MAPCORE_ENOMEM, "no memory for a shell's text");
    }
    clear_words(&reading);
    free(reading.word);
    free(reading.folder);
    buffer_clear(&reading.here_end);
    shell_scan_clear(&reading.scan);
    return error;
}

void shell_text_clear(struct shell_text *text)
{
    for (size_t i = 0; i < text->n; i++) {
        for (int k = 0; k < text->command[i].argc; k++)
            free(text->command[i].argv[k]);
        free(text->command[i].argv);
        free(text->command[i].folder);
    }
    free(text->command);
    *text = (struct shell_text){.n = 0};
}
