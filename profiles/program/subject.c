/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* subject.c - follows a command line from wrapper to wrapper, to the program
 * that it is about */
#include "config.h"

#include "profiles/program/subject.h"

#include "profiles/program/command_file.h"
#include "profiles/program/command_place.h"
#include "profiles/program/subject_choice.h"

#include "base/array.h"
#include "base/text.h"
#include "launch/command/program_path.h"
#include "launch/command/shell_text.h"
#include "launch/command/wrappers.h"
#include "launch/plain_name.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Wrappers in wrappers, and what reading all of them may cost in all. */
#define DEPTH_MOST 16
#define STEPS_MOST 128

static int follow(struct subject_found *out,
                  struct command_place place,
                  int argc,
                  const char *const *argv,
                  struct mapcore_error *err);

static bool is_file(const char *path)
{
    struct stat status;

    return stat(path, &status) == 0 && S_ISREG(status.st_mode);
}

static void set_behind(struct subject_found *out, const char *wrapper)
{
    snprintf(out->behind, sizeof(out->behind), "%.31s",
             text_last_part(wrapper));
}

/* A module, or a folder that is run: known by its name, if it can be. */
static int name_subject(struct subject_found *out,
                        const char *name,
                        struct mapcore_error *err)
{
    out->kind = PROGRAM_SCRIPT;
    if (!plain_name_check(name, PLAIN_NAME_MOST)) {
        out->certainty = SUBJECT_UNKNOWN;
        return 0;
    }
    out->name = array_copy(name, strlen(name) + 1, 1, err);
    return out->name ? 0 : MAPCORE_ENOMEM;
}

/* python x.py, python folder */
static int take_script(struct subject_found *out,
                       const struct command_place *place,
                       const char *name,
                       struct mapcore_error *err)
{
    char *file = command_place_script(place, name);
    int error = 0;

    if (place->is_container) {
        out->certainty = SUBJECT_UNKNOWN;
        out->kind = PROGRAM_SCRIPT;
    } else if (file && is_file(file)) {
        free(out->program);
        out->program = file;
        file = NULL;
        out->kind = PROGRAM_SCRIPT;
        out->hides_exe = true;
    } else if (file) {
        error = name_subject(out, text_last_part(file), err);
    } else {
        out->certainty = SUBJECT_UNKNOWN;
        out->kind = PROGRAM_SCRIPT;
    }
    free(file);
    return error;
}

static int follow_shell_command(struct subject_found *out,
                                const struct command_place *place,
                                const struct shell_command *command,
                                struct mapcore_error *err)
{
    char folder[PATH_MAX];

    *out = (struct subject_found){.kind = PROGRAM_SCRIPT};
    if (command->is_dynamic) {
        out->certainty = SUBJECT_UNKNOWN;
        return 0;
    }
    return follow(out, command_place_move(folder, place, command->folder),
                  command->argc, (const char *const *)command->argv, err);
}

/* argv: $0 and what follows. */
static int follow_text(struct subject_found *out,
                       const struct command_place *place,
                       const char *text,
                       size_t n,
                       int argc,
                       const char *const *argv,
                       struct mapcore_error *err)
{
    struct subject_choice choice = {.nunknown = n >= COMMAND_FILE_MOST};
    struct subject_found found = {.program = NULL};
    struct shell_text shell;
    int error = shell_text_read(&shell, text, n, argc, argv, err);

    if (error < 0)
        return error;
    if (shell.n == 1 && shell.is_plain && choice.nunknown == 0) {
        error = follow_shell_command(&found, place, &shell.command[0], err);
        subject_choice_adopt(out, &found);
    } else {
        for (size_t i = 0; error == 0 && i < shell.n; i++) {
            error = follow_shell_command(&found, place, &shell.command[i], err);
            subject_choice_weigh(&choice, &found);
        }
        subject_choice_decide(out, &choice);
    }
    shell_text_clear(&shell);
    return error;
}

/* bash FILE ARGUMENTS, argv from FILE on */
static int follow_shell_script(struct subject_found *out,
                               const struct command_place *place,
                               int argc,
                               const char *const *argv,
                               struct mapcore_error *err)
{
    char *file = command_place_script(place, argv[0]);
    struct buffer text = {0};
    int error = 0;

    if (!file && !strchr(argv[0], '/'))
        file = command_place_program(place, argv[0]);
    if (!file || command_file_read(&text, file, NULL) < 0) {
        out->certainty = SUBJECT_UNKNOWN;
        out->kind = PROGRAM_SCRIPT;
        free(file);
    } else {
        free(out->program);
        out->program = file;
        error = follow_text(out, place, text.bytes ? text.bytes : "", text.n,
                            argc, argv, err);
    }
    buffer_clear(&text);
    return error;
}

static int follow_command(struct subject_found *out,
                          const struct command_place *place,
                          int argc,
                          const char *const *argv,
                          struct mapcore_error *err)
{
    struct subject_found found = {.program = NULL};
    int error = follow(&found, *place, argc, argv, err);

    subject_choice_adopt(out, &found);
    return error;
}

/* The words of text, then those of argv. */
static int follow_words(struct subject_found *out,
                        const struct command_place *place,
                        const char *text,
                        int argc,
                        const char *const *argv,
                        struct mapcore_error *err)
{
    struct command_words words = {.n = 0};
    int error = command_words_divide(&words, text, strlen(text), err);

    for (int i = 0; error == 0 && i < argc; i++)
        error = command_words_add(&words, argv[i], err);
    if (error == 0 && words.n > 0)
        error = follow_command(out, place, words.n,
                               (const char *const *)words.word, err);
    command_words_clear(&words);
    return error;
}

/* Which of the words begins the command, after options that are not known here:
 * the first that names a program, a name behind an option only if there is
 * nothing else, since it may be the option's value. argc: none. */
static int search_words(const struct command_place *place,
                        int argc,
                        const char *const *argv,
                        int from)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = from; i < argc; i++) {
            const bool may_be_value = i > from && argv[i - 1][0] == '-' &&
                                      strcmp(argv[i - 1], "--") != 0;
            char *file =
                argv[i][0] != '-' &&
                        (pass == 1 || strchr(argv[i], '/') || !may_be_value)
                    ? command_place_program(place, argv[i])
                    : NULL;
            const bool runs = file && is_file(file) && access(file, X_OK) == 0;

            free(file);
            if (runs)
                return i;
        }
    return argc;
}

/* out has the wrapper. */
static int look_through(struct subject_found *out,
                        const struct command_place *from,
                        const struct wrapper *wrapper,
                        int argc,
                        const char *const *argv,
                        struct mapcore_error *err)
{
    struct command_place place = *from;
    int at = wrapper->at;

    place.is_container |= wrapper->is_container;
    place.hides_exe |= wrapper->hides_exe;
    out->is_container = place.is_container;
    switch (wrapper->kind) {
    case WRAPPER_COMMAND:
        at = search_words(&place, argc, argv, at);
        if (at < argc)
            return follow_command(out, &place, argc - at, argv + at, err);
        break;
    case WRAPPER_WORDS:
        return follow_words(out, &place, wrapper->text, argc - at, argv + at,
                            err);
    case WRAPPER_TEXT:
        return follow_text(out, &place, wrapper->text, strlen(wrapper->text),
                           argc - at, argv + at, err);
    case WRAPPER_SHELL_SCRIPT:
        return follow_shell_script(out, &place, argc - at, argv + at, err);
    case WRAPPER_SCRIPT:
        return take_script(out, &place, argv[at], err);
    case WRAPPER_MODULE:
        return name_subject(out, wrapper->text, err);
    case WRAPPER_NONE:
    case WRAPPER_UNKNOWN:
        break;
    }
    out->certainty = SUBJECT_UNKNOWN;
    out->kind = PROGRAM_SCRIPT;
    return 0;
}

/* Of --multi-prog: known by its file, for MPI if one line is. */
static int follow_ranks(struct subject_found *out,
                        const struct command_place *place,
                        const struct command_words *line,
                        size_t n,
                        struct mapcore_error *err)
{
    int error = 0;

    out->kind = PROGRAM_NO_MPI;
    out->hides_exe = true;
    set_behind(out, "--multi-prog");
    for (size_t i = 0; error == 0 && i < n && !subject_is_mpi(out); i++) {
        struct subject_found found = {.program = NULL};

        error = follow(&found, *place, line[i].n,
                       (const char *const *)line[i].word, err);
        if (error == 0 &&
            (subject_is_mpi(&found) || out->kind == PROGRAM_NO_MPI))
            out->kind = found.kind;
        subject_clear(&found);
    }
    return error;
}

/* out->program is no ELF file. */
static int follow_file(struct subject_found *out,
                       const struct command_place *place,
                       int argc,
                       const char *const *argv,
                       struct mapcore_error *err)
{
    struct command_words words = {.n = 0}, *line = NULL;
    struct buffer text = {0};
    char *script = strdup(out->program);
    size_t n = 0;
    int error = script ? command_file_read(&text, script, err)
                       : error_set(err, MAPCORE_ENOMEM, "no memory");

    if (error == 0)
        error = command_file_interpreter(&words, &text, err);
    if (error == 0 && words.n > 0) {
        set_behind(out, script);
        error = command_words_add(&words, script, err);
        for (int i = 1; error == 0 && i < argc; i++)
            error = command_words_add(&words, argv[i], err);
        if (error == 0)
            error = follow_command(out, place, words.n,
                                   (const char *const *)words.word, err);
        /* What is not known is the script, and not its shell. */
        if (error == 0 && out->certainty == SUBJECT_UNKNOWN) {
            free(out->program);
            out->program = script;
            script = NULL;
        }
    } else if (error == 0) {
        error = command_file_ranks(&line, &n, &text, err);
        if (error == 0 && n > 0)
            error = follow_ranks(out, place, line, n, err);
        else
            out->hides_exe = true;
    }
    for (size_t i = 0; i < n; i++)
        command_words_clear(&line[i]);
    free(line);
    free(script);
    command_words_clear(&words);
    buffer_clear(&text);
    return error;
}

/* A launcher of somebody's own: a program for MPI may stand on its line. Those
 * of the system (ls, ldd) only look at what is named to them. */
static int search_arguments(struct subject_found *out,
                            const struct command_place *place,
                            int argc,
                            const char *const *argv,
                            struct mapcore_error *err)
{
    struct subject_found found = {.program = NULL};
    int at, error = 0;

    if (strncmp(out->program, "/usr/", 5) == 0 ||
        strncmp(out->program, "/bin/", 5) == 0 ||
        strncmp(out->program, "/sbin/", 6) == 0)
        return 0;
    for (at = 1; at < argc; at++)
        if (strchr(argv[at], '/') &&
            (at = search_words(place, argc, argv, at)) < argc) {
            error = follow(&found, *place, argc - at, argv + at, err);
            if (error == 0 && subject_is_mpi(&found)) {
                set_behind(out, argv[0]);
                subject_choice_adopt(out, &found);
                out->certainty = SUBJECT_LIKELY;
                break;
            }
            subject_clear(&found);
        }
    return error;
}

static int follow(struct subject_found *out,
                  struct command_place place,
                  int argc,
                  const char *const *argv,
                  struct mapcore_error *err)
{
    struct wrapper wrapper;
    int error = 0;

    *out = (struct subject_found){.kind = PROGRAM_SCRIPT,
                                  .is_container = place.is_container};
    if (++place.depth > DEPTH_MOST || ++*place.steps > STEPS_MOST) {
        out->certainty = SUBJECT_UNKNOWN;
        return 0;
    }
    wrapper_look(&wrapper, argc, argv);
    out->program = command_place_program(&place, argv[0]);
    /* A program of the user's own may be called as a wrapper is. */
    if (out->program &&
        (error = program_classify(&out->kind, out->program, err)) < 0)
        return error;
    if (out->program && (subject_is_mpi(out) || wrapper.kind == WRAPPER_NONE)) {
        out->hides_exe = place.hides_exe;
        if (out->kind == PROGRAM_SCRIPT)
            return follow_file(out, &place, argc, argv, err);
        return out->kind == PROGRAM_NO_MPI
                   ? search_arguments(out, &place, argc, argv, err)
                   : 0;
    }
    if (wrapper.kind == WRAPPER_NONE) {
        out->certainty = SUBJECT_UNKNOWN;
        return 0;
    }
    set_behind(out, argv[0]);
    return look_through(out, &place, &wrapper, argc, argv, err);
}

int subject_find(struct subject_found *out,
                 int argc,
                 const char *const *argv,
                 const char *path,
                 struct mapcore_error *err)
{
    unsigned steps = 0;
    struct command_place place = {.path = path, .steps = &steps};
    char *program = NULL;
    int error = program_path_find(&program, argv[0], path, err);

    *out = (struct subject_found){.program = NULL};
    free(program);
    if (error == 0)
        error = follow(out, place, argc, argv, err);
    if (error < 0)
        subject_clear(out);
    return error;
}
