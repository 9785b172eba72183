/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* framework.c - finds the launcher of a training framework in a command line.
 * torchrun sorts the names of nodes under c10d: dynamic_rendezvous.py of
 * PyTorch (tried: 1.13), `enumerate(sorted(state.participants))`. */
#include "config.h"

#include "profiles/program/framework.h"

#include "base/text.h"
#include "launch/command/program_path.h"
#include "launch/command/wrappers.h"
#include "profiles/program/command_file.h"

#include <stdlib.h>
#include <string.h>

/* Shells and scripts in each other. */
#define DEPTH_MOST 8

static const struct launcher {
    const char *program, *verb; /* verb: its first argument; NULL: any */
    const char *module;         /* the same as python -m, or NULL */
    struct framework is;
    bool has_backend; /* takes --rdzv_backend */
} rows[] = {
    {"torchrun",
     NULL,
     "torch.distributed.run",
     {"torchrun", FRAMEWORK_GIVEN, "topomap torchrun in place of torchrun"},
     true},
    {NULL,
     NULL,
     "torch.distributed.launch",
     {"torch.distributed.launch", FRAMEWORK_GIVEN,
      "topomap torchrun in place of python -m torch.distributed.launch"},
     true},
    {"accelerate",
     "launch",
     "accelerate.commands.launch",
     {"accelerate launch", FRAMEWORK_GIVEN,
      "--rdzv_backend static --machine_rank $SLURM_NODEID"},
     true},
    {"topomap", "torchrun", NULL, {"torchrun", FRAMEWORK_GIVEN, NULL}, false},
    {"deepspeed",
     NULL,
     "deepspeed.launcher.launch",
     {"deepspeed", FRAMEWORK_GIVEN, NULL},
     false},
    {"lightning", "run", NULL, {"lightning", FRAMEWORK_GIVEN, NULL}, false},
    {"fabric", "run", NULL, {"lightning", FRAMEWORK_GIVEN, NULL}, false},
    {"ray", "start", NULL, {"ray", FRAMEWORK_OWN, NULL}, false},
};
#define NROWS (sizeof(rows) / sizeof(*rows))

struct framework_look {
    struct mapcore_error *err; /* of the caller */
    struct framework *out;
    const char *path, *backend;
    int depth;
};

static int look(const struct framework_look *at,
                int argc,
                const char *const *argv);

/* The value of an option that argparse takes with _ and with -, and with = or
 * as the next word; NULL: it is not there. */
static const char *option_value(int argc,
                                const char *const *argv,
                                const char *dashes,
                                const char *lines)
{
    const size_t n = strlen(dashes);
    const char *value = NULL;

    for (int i = 0; i < argc; i++)
        if (strncmp(argv[i], dashes, n) != 0 && strncmp(argv[i], lines, n) != 0)
            continue;
        else if (argv[i][n] == '=')
            value = argv[i] + n + 1;
        else if (argv[i][n] == '\0' && i + 1 < argc)
            value = argv[i + 1];
    return value;
}

/* argv: the launcher's arguments. Who gives --local_addr names the nodes as
 * they are to be sorted. */
static void take(const struct framework_look *at,
                 const struct launcher *row,
                 int argc,
                 const char *const *argv)
{
    const char *backend =
        option_value(argc, argv, "--rdzv-backend", "--rdzv_backend");

    *at->out = row->is;
    if (!row->has_backend)
        return;
    backend = backend ? backend : at->backend;
    if (backend &&
        (strcmp(backend, "c10d") == 0 || text_after(backend, "etcd")) &&
        !option_value(argc, argv, "--local-addr", "--local_addr"))
        at->out->order = FRAMEWORK_BY_NAME;
}

static bool is_program(const struct launcher *row,
                       int argc,
                       const char *const *argv)
{
    return row->program && strcmp(text_last_part(argv[0]), row->program) == 0 &&
           (!row->verb || (argc > 1 && strcmp(argv[1], row->verb) == 0));
}

/* Words before a command's own: NAME=VALUE, exec. */
static int skip_leading(const struct command_words *words)
{
    static const char *const leading[] = {"exec", "command", "then", "else",
                                          "do"};
    int at = 0, before;

    do {
        before = at;
        for (size_t i = 0; i < sizeof(leading) / sizeof(*leading); i++)
            at += at < words->n && strcmp(words->word[at], leading[i]) == 0;
        at += at < words->n && strchr(words->word[at], '=') &&
              words->word[at][0] != '-';
    } while (at > before);
    return at;
}

/* Each command of a text for a shell. */
static int look_in_text(const struct framework_look *at,
                        const char *text,
                        size_t n)
{
    const char *end = text + n;
    int error = 0;

    while (error == 0 && text < end && !at->out->name) {
        struct command_words words = {.n = 0};

        int first;

        error = command_words_shell(&words, &text, end, at->err);
        first = skip_leading(&words);
        if (error == 0 && first < words.n)
            error = look(at, words.n - first,
                         (const char *const *)words.word + first);
        command_words_clear(&words);
    }
    return error;
}

/* A script, which begins with #! or is given to a shell; and what it is given
 * to start, for its exec "$@". */
static int look_in_script(const struct framework_look *at,
                          int argc,
                          const char *const *argv,
                          bool is_shells)
{
    struct buffer text = {0};
    char *file = NULL;
    int error = 0;

    if (program_path_find(&file, argv[0], is_shells ? NULL : at->path, NULL) ==
            0 &&
        command_file_read(&text, file, NULL) == 0 && text.n > 2 &&
        (is_shells || memcmp(text.bytes, "#!", 2) == 0)) {
        error = look_in_text(at, text.bytes, text.n);
        if (error == 0 && !at->out->name && argc > 1)
            error = look(at, argc - 1, argv + 1);
    }
    buffer_clear(&text);
    free(file);
    return error;
}

/* What a shell or an interpreter is given. */
static int look_behind(const struct framework_look *at,
                       const struct wrapper *wrapper,
                       int argc,
                       const char *const *argv)
{
    const char *word = NULL;
    int rest = 0;

    switch (wrapper_operand(&word, &rest, argc, argv)) {
    case WRAPPER_MODULE:
        for (size_t i = 0; i < NROWS; i++)
            if (rows[i].module && strcmp(word, rows[i].module) == 0)
                take(at, &rows[i], argc - rest, argv + rest);
        return 0;
    case WRAPPER_TEXT:
        return look_in_text(at, word, strlen(word));
    case WRAPPER_FILE:
        argc -= rest - 1;
        argv += rest - 1;
        return wrapper->kind == WRAPPER_SHELL
                   ? look_in_script(at, argc, argv, true)
                   : look(at, argc, argv);
    case WRAPPER_NOTHING:
        break;
    }
    return 0;
}

static int look(const struct framework_look *from,
                int argc,
                const char *const *argv)
{
    const struct wrapper *wrapper = wrapper_find(argv[0]);
    struct framework_look at = *from;
    int error = 0;

    if (++at.depth > DEPTH_MOST)
        return 0;
    for (size_t i = 0; i < NROWS && !at.out->name; i++)
        if (is_program(&rows[i], argc, argv))
            take(&at, &rows[i], argc - 1, argv + 1);
    if (at.out->name)
        return 0;
    if (!wrapper)
        return look_in_script(&at, argc, argv, false);
    if (wrapper->kind == WRAPPER_SHELL || wrapper->kind == WRAPPER_INTERPRETER)
        return look_behind(&at, wrapper, argc, argv);
    /* Whose options are its own matter. */
    for (int i = 1; error == 0 && i < argc && !at.out->name; i++)
        error = look(&at, argc - i, argv + i);
    return error;
}

int framework_find(struct framework *out,
                   int argc,
                   const char *const *argv,
                   const char *path,
                   const char *backend,
                   struct mapcore_error *err)
{
    const struct framework_look at = {
        .err = err, .out = out, .path = path, .backend = backend};

    *out = (struct framework){.name = NULL};
    return argc > 0 ? look(&at, argc, argv) : 0;
}
