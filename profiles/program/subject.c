/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject.c - follows a command line from wrapper to wrapper, to the program
 * that it is about */
#include "config.h"

#include "profiles/program/subject.h"

#include "profiles/program/command_file.h"

#include "base/text.h"
#include "launch/command/program_path.h"
#include "launch/command/wrappers.h"
#include "launch/plain_name.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Wrappers in wrappers, and commands that are looked at in all. */
#define DEPTH_MOST 16
#define STEPS_MOST 128
/* At most these lines of --multi-prog's file are looked at. */
#define RANKS_MOST 64

/* argv[argc], started where path is the value of PATH. */
struct command {
    struct mapcore_error *err; /* of the caller */
    int argc;
    const char *const *argv;
    const char *path; /* NULL: argv[0] is a path */
    int depth;        /* wrappers in wrappers */
    unsigned *steps;  /* commands that were looked at */
    bool hides_exe;
};

static int follow(struct subject_found *out, struct command command);

void subject_clear(struct subject_found *subject)
{
    free(subject->program);
    free(subject->name);
    *subject = (struct subject_found){.program = NULL};
}

bool subject_may_use_mpi(const struct subject_found *subject)
{
    return subject->kind != PROGRAM_NO_MPI;
}

bool subject_is_mpi(const struct subject_found *subject)
{
    return subject->kind == PROGRAM_MPICH_ABI ||
           subject->kind == PROGRAM_OPENMPI_ABI;
}

static void set_behind(struct subject_found *out, const char *wrapper)
{
    snprintf(out->behind, sizeof(out->behind), "%.31s",
             text_last_part(wrapper));
}

static int set_unknown(struct subject_found *out)
{
    out->is_unknown = true;
    out->kind = PROGRAM_SCRIPT;
    return 0;
}

/* out, the wrapper, becomes what was found behind it; takes what found has. */
static void adopt(struct subject_found *out, struct subject_found *found)
{
    found->is_container |= out->is_container;
    if (found->is_unknown && !found->program) {
        out->is_container = found->is_container;
        set_unknown(out);
        subject_clear(found);
        return;
    }
    /* The outermost is what the user has typed. */
    if (*out->behind)
        memcpy(found->behind, out->behind, sizeof(found->behind));
    subject_clear(out);
    *out = *found;
    *found = (struct subject_found){.program = NULL};
}

/* The file that a command's word names, or, where PATH does not count, what an
 * interpreter reads; owned, or NULL. */
static char *find_file(const struct command *command,
                       const char *name,
                       bool is_read)
{
    char *found = NULL;

    return *name != '\0' &&
                   program_path_find(&found, name,
                                     is_read ? NULL : command->path, NULL) == 0
               ? found
               : NULL;
}

/* The command whose first word is word[at]. */
static struct command from_word(const struct command *command, int at)
{
    struct command rest = *command;

    rest.argc -= at;
    rest.argv += at;
    return rest;
}

/* env -C, env PATH=: its command is not found from here. */
static bool leaves(const struct command *command, const char *word)
{
    return strcmp(text_last_part(command->argv[0]), "env") == 0 &&
           (text_after(word, "-C") || text_after(word, "--chdir") ||
            text_after(word, "PATH="));
}

/* Finds the command among the words of a wrapper whose options are its own
 * matter: the first that names a program which may be for MPI; others may as
 * well be an option's value (timeout -s kill). is_prefix: it is sure that it
 * starts something; else a program for MPI that is named by a path counts. */
static int search_words(struct subject_found *out,
                        const struct command *command,
                        int at,
                        bool is_prefix)
{
    bool has_found = false, decided = false;
    int error = 0;

    for (; error == 0 && !decided && at < command->argc &&
           !leaves(command, command->argv[at]);
         at++) {
        const char *word = command->argv[at];
        struct subject_found found = {.program = NULL};
        char *file = *word != '-' && (is_prefix || strchr(word, '/'))
                         ? find_file(command, word, false)
                         : NULL;

        if (file && program_path_is_file(file) && access(file, X_OK) == 0) {
            has_found = true;
            error = follow(&found, from_word(command, at));
            decided = is_prefix ? subject_may_use_mpi(&found)
                                : subject_is_mpi(&found);
        }
        if (error == 0 && decided) {
            set_behind(out, command->argv[0]);
            adopt(out, &found);
        }
        subject_clear(&found);
        free(file);
    }
    if (error == 0 && !decided && is_prefix && has_found)
        out->kind = PROGRAM_NO_MPI;
    else if (error == 0 && !decided && is_prefix)
        set_unknown(out);
    return error;
}

/* A module, or a folder that is run: known by its name, if it can be. */
static int set_name(struct subject_found *out,
                    const char *name,
                    struct mapcore_error *err)
{
    out->kind = PROGRAM_SCRIPT;
    if (!plain_name_check(name, PLAIN_NAME_MOST))
        return set_unknown(out);
    return text_copy(&out->name, name, err);
}

/* python x.py, python folder */
static int take_script(struct subject_found *out,
                       const struct command *command,
                       const char *name)
{
    char *file = find_file(command, name, true);
    int error = 0;

    if (file && program_path_is_file(file)) {
        free(out->program);
        out->program = file;
        out->kind = PROGRAM_SCRIPT;
        out->hides_exe = true;
        return 0;
    }
    error = file ? set_name(out, text_last_part(file), command->err)
                 : set_unknown(out);
    free(file);
    return error;
}

/* What the commands of a text for a shell may use MPI with. */
struct subject_choice {
    struct subject_found only; /* the first */
    size_t nfound, nunknown;   /* different ones, from all that are known */
};

/* Takes what found has. */
static void choose(struct subject_choice *choice, struct subject_found *found)
{
    const char *x =
                   choice->only.name ? choice->only.name : choice->only.program,
               *y = found->name ? found->name : found->program;

    choice->nunknown += found->is_unknown;
    if (!found->is_unknown && subject_may_use_mpi(found) &&
        !(x && y && strcmp(x, y) == 0) && choice->nfound++ == 0) {
        choice->only = *found;
        *found = (struct subject_found){.program = NULL};
    }
    subject_clear(found);
}

/* The only one, if it is sure to be for MPI or nothing else can be; else out
 * stays the wrapper that it is. Ends choice. */
static void decide(struct subject_found *out, struct subject_choice *choice)
{
    if (choice->nfound == 1 &&
        (choice->nunknown == 0 || subject_is_mpi(&choice->only)))
        adopt(out, &choice->only);
    else if (choice->nfound > 0 || choice->nunknown > 0)
        set_unknown(out);
    else
        out->kind = PROGRAM_NO_MPI;
    subject_clear(&choice->only);
}

static bool is_among(const char *list, const char *word)
{
    size_t n = strlen(word);

    for (const char *at = list; n > 0 && (at = strstr(at, word)); at++)
        if ((at == list || at[-1] == ' ') && (at[n] == ' ' || at[n] == '\0'))
            return true;
    return false;
}

/* NAME=VALUE */
static bool is_assignment(const char *word)
{
    size_t n = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwx"
                            "yz_0123456789");

    return n > 0 && word[n] == '=';
}

/* One command of a shell that was started as from. */
static int follow_command(struct subject_choice *choice,
                          const struct command_words *words,
                          const struct command *from)
{
    static const char leading[] =
        "exec command eval time then else elif do if while until ! { }";
    static const char starts_nothing[] =
        "export set unset source . module ulimit umask echo wait shift "
        "local readonly trap exit return fi done esac true false test [ [[ "
        "case for :";
    struct subject_found found = {.program = NULL};
    struct command_words whole = {.n = 0};
    struct command command = *from;
    const char *const *word = (const char *const *)words->word;
    int at = 0, error = 0;

    while (at < words->n &&
           (is_among(leading, word[at]) || is_assignment(word[at])))
        at++;
    if (at == words->n || is_among(starts_nothing, word[at]))
        return 0;
    /* The arguments stand in the place of "$@"; how many of them a shift has
     * taken away is not known where they are the command. */
    for (int i = at; error == 0 && i < words->n; i++)
        if (strcmp(word[i], "$@") != 0)
            error = command_words_add(&whole, word[i], from->err);
        else
            for (int k = 1; error == 0 && k < from->argc; k++)
                error = command_words_add(&whole, from->argv[k], from->err);
    command.argc = whole.n;
    command.argv = (const char *const *)whole.word;
    if (error == 0)
        error = strcmp(word[at], "$@") == 0
                    ? search_words(&found, from, 1, true)
                    : follow(&found, command);
    command_words_clear(&whole);
    choose(choice, &found);
    return error;
}

/* text[n] is what a shell reads; command: its $0 and arguments. Behind a cd
 * names of files mean others: nothing is known of what runs there. */
static int follow_text(struct subject_found *out,
                       struct command command,
                       const char *text,
                       size_t n)
{
    const char *end = text + n;
    struct subject_choice choice = {.nunknown = n >= COMMAND_FILE_MOST};
    bool moved = false;
    int error = 0;

    while (error == 0 && !moved && text < end && *command.steps <= STEPS_MOST) {
        struct command_words words = {.n = 0};

        error = command_words_shell(&words, &text, end, command.err);
        moved = words.n > 0 && strcmp(words.word[0], "cd") == 0;
        if (error == 0 && !moved)
            error = follow_command(&choice, &words, &command);
        command_words_clear(&words);
    }
    choice.nunknown += text < end;
    decide(out, &choice);
    return error;
}

/* bash FILE ARGUMENTS: command begins at FILE. */
static int follow_shell_script(struct subject_found *out,
                               const struct command *command)
{
    const char *name = command->argv[0];
    char *file = find_file(command, name, true);
    struct buffer text = {0};
    int error = 0;

    if (!file && !strchr(name, '/'))
        file = find_file(command, name, false);
    if (!file || command_file_read(&text, file, NULL) < 0) {
        set_unknown(out);
        free(file);
    } else {
        free(out->program);
        out->program = file;
        error =
            follow_text(out, *command, text.bytes ? text.bytes : "", text.n);
    }
    buffer_clear(&text);
    return error;
}

/* out has the wrapper. */
static int look_through(struct subject_found *out,
                        struct command command,
                        const struct wrapper *wrapper)
{
    enum wrapper_operand operand;
    const char *word;
    int at;

    command.hides_exe |= wrapper->hides_exe;
    if (wrapper->kind == WRAPPER_PREFIX)
        return search_words(out, &command, 1 + wrapper->operands, true);
    out->is_container = wrapper->kind == WRAPPER_CONTAINER;
    if (out->is_container)
        return set_unknown(out);
    operand = wrapper_operand(&word, &at, command.argc, command.argv);
    if (operand == WRAPPER_FILE && wrapper->kind == WRAPPER_SHELL) {
        command = from_word(&command, at - 1);
        return follow_shell_script(out, &command);
    }
    switch (operand) {
    case WRAPPER_FILE:
        return take_script(out, &command, word);
    case WRAPPER_TEXT:
        return follow_text(out, from_word(&command, at), word, strlen(word));
    case WRAPPER_MODULE:
        return set_name(out, word, command.err);
    case WRAPPER_NOTHING:
        break;
    }
    return set_unknown(out);
}

static bool is_ranks(const char *word)
{
    return strspn(word, "0123456789,-*") == strlen(word) &&
           strchr("0123456789*", *word);
}

/* Lines "0-3,5 ./app -x" of --multi-prog alone: known by its file, for MPI if
 * one line is. */
static int follow_ranks(struct subject_found *out,
                        struct command command,
                        const struct buffer *text)
{
    const char *at = text->n > 0 ? text->bytes : "", *end = at + text->n;
    struct subject_found found = {.program = NULL};
    enum program_kind kind = PROGRAM_NO_MPI;
    bool is_known = true;
    size_t n = 0;
    int error = 0;

    while (error == 0 && is_known && at < end && n < RANKS_MOST) {
        struct command_words words = {.n = 0};

        error = command_words_shell(&words, &at, end, command.err);
        n += words.n > 0;
        is_known = words.n == 0 || (words.n > 1 && is_ranks(words.word[0]));
        if (error == 0 && is_known && words.n > 0) {
            command.argc = words.n - 1;
            command.argv = (const char *const *)words.word + 1;
            error = follow(&found, command);
            if (error == 0 &&
                (subject_is_mpi(&found) || kind == PROGRAM_NO_MPI))
                kind = found.kind;
            subject_clear(&found);
        }
        command_words_clear(&words);
    }
    if (is_known && n > 0) {
        out->kind = kind;
        set_behind(out, "--multi-prog");
    }
    return error;
}

/* out->program is a script whose #! line ends at end. */
static int follow_interpreter(struct subject_found *out,
                              struct command command,
                              const char *text,
                              const char *end)
{
    struct command_words words = {.n = 0};
    struct subject_found found = {.program = NULL};
    int error = command_words_shell(&words, &text, end, command.err);

    if (error == 0)
        error = command_words_add(&words, out->program, command.err);
    for (int i = 1; error == 0 && i < command.argc; i++)
        error = command_words_add(&words, command.argv[i], command.err);
    command.argc = words.n;
    command.argv = (const char *const *)words.word;
    if (error == 0)
        error = follow(&found, command);
    set_behind(out, out->program);
    /* What is unknown is the script, and not its shell. */
    if (error == 0 && found.is_unknown) {
        set_unknown(out);
        subject_clear(&found);
    } else {
        adopt(out, &found);
    }
    command_words_clear(&words);
    return error;
}

/* out->program is no ELF file. */
static int follow_file(struct subject_found *out, const struct command *command)
{
    struct buffer text = {0};
    int error = command_file_read(&text, out->program, command->err);

    if (error == 0 && text.n > 3 && memcmp(text.bytes, "#!", 2) == 0) {
        error = follow_interpreter(out, *command, text.bytes + 2,
                                   text.bytes + strcspn(text.bytes, "\n"));
    } else if (error == 0) {
        out->hides_exe = true;
        error = follow_ranks(out, *command, &text);
    }
    buffer_clear(&text);
    return error;
}

/* The programs ls, ldd and the like only look at what is named to them; a
 * launcher of the user's own may start it. */
static bool is_system(const char *program)
{
    return text_after(program, "/usr/") || text_after(program, "/bin/") ||
           text_after(program, "/sbin/");
}

static int follow(struct subject_found *out, struct command command)
{
    const struct wrapper *wrapper =
        command.argc > 1 ? wrapper_find(command.argv[0]) : NULL;
    int error = 0;

    *out = (struct subject_found){.kind = PROGRAM_SCRIPT};
    if (++command.depth > DEPTH_MOST || ++*command.steps > STEPS_MOST)
        return set_unknown(out);
    out->program = find_file(&command, command.argv[0], false);
    if (out->program &&
        (error = program_classify(&out->kind, out->program, command.err)) < 0)
        return error;
    /* A program of the user's own may be called as a wrapper is. */
    if (out->program && (subject_is_mpi(out) || !wrapper)) {
        out->hides_exe = command.hides_exe;
        if (out->kind == PROGRAM_SCRIPT)
            return follow_file(out, &command);
        return out->kind == PROGRAM_NO_MPI && !is_system(out->program)
                   ? search_words(out, &command, 1, false)
                   : 0;
    }
    if (!wrapper)
        return set_unknown(out);
    set_behind(out, command.argv[0]);
    return look_through(out, command, wrapper);
}

int subject_find(struct subject_found *out,
                 int argc,
                 const char *const *argv,
                 const char *path,
                 struct mapcore_error *err)
{
    unsigned steps = 0;
    struct command command = {
        .err = err, .argc = argc, .argv = argv, .path = path, .steps = &steps};
    char *program = NULL;
    int error = program_path_find(&program, argv[0], path, err);

    *out = (struct subject_found){.program = NULL};
    free(program);
    if (error == 0)
        error = follow(out, command);
    if (error < 0)
        subject_clear(out);
    return error;
}
