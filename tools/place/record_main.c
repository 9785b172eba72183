/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record_main.c - topomap record: a launcher other than srun, whose ranks are
 * recorded */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/buffer.h"
#include "launch/spool_folder.h"
#include "profiles/catalogue/catalogue.h"
#include "tools/common/installed.h"
#include "tools/common/told.h"
#include "tools/place/launcher.h"
#include "tools/place/launcher_run.h"
#include "tools/place/shell_words.h"
#include "tools/profile/recorded/collect.h"
#include "tools/profile/recorded/own_spool.h"
#include "json/json.h"

#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    MOST_VARIABLES = 8,
    WORDS_EACH = 3, /* -genv NAME VALUE */
    CATALOGUE = 1,  /* the second variable that is set */
};

struct record_options {
    const char *name, *catalogue, *program;
    enum launcher_kind launcher;
    uint32_t seconds;
    bool print, quiet, json, csv;
    char **command;
};

static const struct option_row rows[] = {
    {.name = "name",
     .argument = "NAME",
     OPTION_INTO(struct record_options, name),
     .help = "file the profile under it, not by the program's build"},
    {.name = "program",
     .argument = "FILE",
     OPTION_INTO(struct record_options, program),
     .help = "the executable that the profile is of (default: what calls "
             "MPI_Init)"},
    {.name = "catalogue",
     .argument = "DIR",
     OPTION_INTO(struct record_options, catalogue),
     .help = "where it is filed (default: your own)"},
    {.name = "seconds",
     .argument = "N",
     OPTION_INTO(struct record_options, seconds),
     .min = 1,
     .help = "count only so long"},
    {.name = "launcher",
     .argument = "WHAT",
     OPTION_WORD_INTO(struct record_options, launcher, launcher_words),
     .shows_default = true,
     .help = "what COMMAND is"},
    {.name = "print",
     OPTION_INTO(struct record_options, print),
     .help = "start nothing: print what would be started, for a shell"},
    {.name = "json",
     OPTION_INTO(struct record_options, json),
     .help = "with --print: as JSON, an object with launcher and command"},
    {.name = "csv",
     OPTION_INTO(struct record_options, csv),
     .help = "the same as comma-separated values"},
    {.name = "quiet",
     .letter = 'q',
     OPTION_INTO(struct record_options, quiet),
     .help = "no line that says where the profile is"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "record",
    .forms =
        (const char *const[]){"[OPTION]... -- COMMAND [ARGUMENT]...", NULL},
    .stops = true,
    .rest = offsetof(struct record_options, command),
    .about = "Starts COMMAND, an mpiexec, mpirun, flux run or jsrun, with the "
             "recorder in its ranks, which files a profile for topomap place "
             "and for srun --topomap=auto.",
    .groups = {{rows, 0}},
};

struct recording {
    char *name[MOST_VARIABLES], *value[MOST_VARIABLES]; /* value: owned */
    size_t n;
    char *word[MOST_VARIABLES * WORDS_EACH + 1]; /* owned */
    size_t nwords;
};

__attribute__((format(printf, 4, 5))) static int set(struct recording *r,
                                                     char *name,
                                                     struct mapcore_error *err,
                                                     const char *format,
                                                     ...)
{
    va_list args;
    int n;

    va_start(args, format);
    n = vasprintf(&r->value[r->n], format, args);
    va_end(args);
    if (n < 0)
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    r->name[r->n++] = name;
    return 0;
}

/* The one recorder for every MPI; what is preloaded already stays. */
static int set_preload(struct recording *r, struct mapcore_error *err)
{
    static char name[] = "LD_PRELOAD";
    const char *before = getenv(name);
    struct buffer path = {0};
    int error =
        installed_path(&path, TOPOMAP_RECORDERDIR, "libcommprof.so", err);

    if (error == 0 && access(path.bytes, R_OK) < 0)
        error = error_set(err, MAPCORE_EIO, "%.300s: %s", path.bytes,
                          strerror(errno));
    if (error == 0)
        error = set(r, name, err, "%s%s%s", path.bytes,
                    before && *before ? ":" : "", before ? before : "");
    buffer_clear(&path);
    return error;
}

/* Ranks may start in another folder. */
static int set_absolute(struct recording *r,
                        char *name,
                        const char *path,
                        struct mapcore_error *err)
{
    char here[PATH_MAX];

    if (*path == '/')
        return set(r, name, err, "%s", path);
    if (!getcwd(here, sizeof(here)))
        return error_set(err, MAPCORE_EIO, "%.300s: %s", path, strerror(errno));
    return set(r, name, err, "%s/%s", here, path);
}

static int set_all(struct recording *r,
                   const struct record_options *options,
                   struct mapcore_error *err)
{
    static char catalogue[] = "COMMPROF_CATALOGUE", name[] = "COMMPROF_NAME",
                seconds[] = "COMMPROF_SECONDS", verbose[] = "COMMPROF_VERBOSE",
                program[] = "COMMPROF_PROGRAM";
    char *own = NULL;
    int error = set_preload(r, err);

    if (error == 0 && !options->catalogue)
        error = catalogue_user_root(&own, err);
    if (error == 0)
        error = set_absolute(r, catalogue, own ? own : options->catalogue, err);
    if (error == 0 && options->name)
        error = set(r, name, err, "%s", options->name);
    if (error == 0 && options->program)
        error = set_absolute(r, program, options->program, err);
    if (error == 0 && options->seconds > 0)
        error = set(r, seconds, err, "%u", options->seconds);
    if (error == 0 && !options->quiet)
        error = set(r, verbose, err, "1");
    free(own);
    return error;
}

/* What it says to those of its tasks that do not come to MPI_Finalize: without
 * a program that keeps their counts they are lost. *spool owned. */
static int set_keeper(char **spool,
                      struct recording *r,
                      struct mapcore_error *err)
{
    static char name[] = "COMMPROF_SPOOL", keeper[] = "COMMPROF_KEEPER";
    struct buffer path = {0};
    int error = own_spool_make(spool, r->value[CATALOGUE], err);

    if (error == 0)
        error = installed_path(&path, TOPOMAP_PROBEDIR, "commprof-keep", err);
    if (error == 0)
        error = set(r, name, err, "%s", *spool);
    if (error == 0)
        error = set(r, keeper, err, "%s", path.bytes);
    buffer_clear(&path);
    return error;
}

static int add_word(struct recording *r,
                    struct mapcore_error *err,
                    const char *before,
                    const char *name,
                    const char *value)
{
    char *word = NULL;

    if (asprintf(&word, "%s%s%s%s", before, name, value ? "=" : "",
                 value ? value : "") < 0)
        return error_set(err, MAPCORE_ENOMEM, "out of memory");
    r->word[r->nwords++] = word;
    return 0;
}

/* The launcher's way to give the ranks a variable that it has not itself. */
static int add_variable(struct recording *r,
                        enum launcher_kind kind,
                        const char *name,
                        const char *value,
                        struct mapcore_error *err)
{
    int error = 0;

    switch (kind) {
    case LAUNCHER_OPENMPI:
    case LAUNCHER_PRRTE:
        error = add_word(r, err, "-x", "", NULL);
        return error < 0 ? error : add_word(r, err, "", name, value);
    case LAUNCHER_HYDRA:
    case LAUNCHER_INTEL:
        if ((error = add_word(r, err, "-genv", "", NULL)) == 0 &&
            (error = add_word(r, err, "", name, NULL)) == 0)
            error = add_word(r, err, "", value, NULL);
        return error;
    case LAUNCHER_PALS:
    case LAUNCHER_FLUX:
        return add_word(r, err, "--env=", name, value);
    case LAUNCHER_JSRUN:
        error = add_word(r, err, "-E", "", NULL);
        return error < 0 ? error : add_word(r, err, "", name, value);
    case LAUNCHER_UNKNOWN:
    case LAUNCHER_SRUN:
        break;
    }
    return error_set(err, MAPCORE_ENOTSUP,
                     "srun records by its own --topomap=profile");
}

static int put_together(char ***out,
                        struct recording *r,
                        const struct launcher_line *launcher,
                        struct mapcore_error *err)
{
    char **word;
    size_t n = 0;
    int error = 0;

    for (size_t i = 0; error == 0 && i < r->n; i++)
        error = add_variable(r, launcher->kind, r->name[i], r->value[i], err);
    if (error < 0)
        return error;
    word = array_alloc(launcher->n + r->nwords + 1, sizeof(*word), err);
    if (!word)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; i <= launcher->n; i++) {
        for (size_t k = 0; i == launcher->first && k < r->nwords; k++)
            word[n++] = r->word[k];
        if (i < launcher->n)
            word[n++] = launcher->word[i];
    }
    *out = word;
    return 0;
}

/* A run may be a day: what can be known before it is told before it. */
static int check_catalogue(const struct recording *r, struct mapcore_error *err)
{
    const char *path = r->value[CATALOGUE];
    struct stat st;

    if (stat(path, &st) == 0 &&
        (!S_ISDIR(st.st_mode) || access(path, W_OK | X_OK) < 0))
        return error_set(err, MAPCORE_EIO, "%.300s cannot be written: %s", path,
                         S_ISDIR(st.st_mode) ? strerror(errno)
                                             : strerror(ENOTDIR));
    return 0;
}

static int print_json(const struct launcher_line *launcher,
                      char *const *command,
                      bool csv,
                      struct mapcore_error *err)
{
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, csv ? TOLD_ONE_ROW : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_string(writer, "launcher", launcher->name);
    shell_words_put(writer, "command", command);
    json_end_object(writer);
    return told_end(&told, 0, err);
}

/* Starts it; what its tasks have left without MPI_Finalize is filed. */
static int run_recorded(char *const *command, const char *spool, bool quiet)
{
    struct launcher_files none = {NULL, NULL};
    struct collected collected = {.lines = {0}};
    struct mapcore_error err;
    const double began = tool_now();
    const int status = launcher_wait(command, &none);
    const struct collected_run run = {.status = status,
                                      .seconds = tool_now() - began};

    if (WIFEXITED(status) && WEXITSTATUS(status) >= LAUNCHER_CANNOT_RUN &&
        WEXITSTATUS(status) <= LAUNCHER_NOT_FOUND && spool_folder_remove(spool))
        return launcher_end_as(status);
    own_spool_wait(spool);
    if (collect_spool(&collected, spool, &run, &err) < 0)
        tool_note("%s", err.text);
    else if (!quiet)
        collected_say(&collected);
    collected_clear(&collected);
    return launcher_end_as(status);
}

static int record(const struct record_options *options)
{
    struct launcher_line launcher;
    struct recording r = {.n = 0};
    struct mapcore_error err;
    char **command = NULL, *spool = NULL;
    int status, error = launcher_line_read(&launcher, options->command,
                                           options->launcher, &err);

    if (error == 0)
        error = set_all(&r, options, &err);
    if (error == 0)
        error = check_catalogue(&r, &err);
    if (error == 0 && !options->print)
        error = set_keeper(&spool, &r, &err);
    if (error == 0)
        error = put_together(&command, &r, &launcher, &err);
    if (error < 0) {
        status = tool_fail("%s", err.text);
    } else if (options->json || options->csv) {
        status = print_json(&launcher, command, options->csv, &err) < 0
                     ? tool_fail("%s", err.text)
                     : TOOL_OK;
    } else if (options->print) {
        shell_words_print(command);
        status = TOOL_OK;
    } else {
        status = run_recorded(command, spool, options->quiet);
    }
    free(spool);
    for (size_t i = 0; i < r.n; i++)
        free(r.value[i]);
    for (size_t i = 0; i < r.nwords; i++)
        free(r.word[i]);
    free(command);
    launcher_line_clear(&launcher);
    return status;
}

int record_main(int argc, char **argv)
{
    struct record_options options = {.name = NULL};
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv)) {
        if (!*options.command)
            status = tool_usage("record", "COMMAND is missing");
        else if ((options.json || options.csv) && !options.print)
            status = tool_usage("record", "--%s is for --print",
                                options.json ? "json" : "csv");
        else
            status = record(&options);
    }
    return status;
}
