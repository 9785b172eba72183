/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* record_main.c - topomap record: a launcher other than srun, whose ranks are
 * recorded */
#include "config.h"

#include "tools/place/launcher_words.h"

#include "base/buffer.h"
#include "launch/spool_folder.h"
#include "profiles/catalogue/catalogue.h"
#include "tools/common/installed.h"
#include "tools/common/script.h"
#include "tools/profile/recorded/own_spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct record_options {
    const char *name, *catalogue, *program;
    enum { AUTO } launcher;
    uint32_t seconds;
    bool print, quiet, json, csv;
    char **command;
    struct tool_list words;
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
    {.name = "time",
     .argument = "N",
     OPTION_INTO(struct record_options, seconds),
     .min = 1,
     .help = "count only so long"},
    {.name = "launcher",
     .argument = "WHAT",
     OPTION_WORD_INTO(struct record_options, launcher, launcher_words),
     .shows_default = true,
     .help = "what COMMAND is"},
    {.name = "dry-run",
     OPTION_INTO(struct record_options, print),
     .help = "start nothing: print what would be started, for a shell"},
    {.name = "json",
     OPTION_INTO(struct record_options, json),
     .help = "with --dry-run: as JSON, an object with launcher and command"},
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
    .words = offsetof(struct record_options, words),
    .about = "Starts COMMAND, an mpiexec, mpirun, flux run or jsrun, with the "
             "recorder in its ranks, which files a profile for topomap place "
             "and for srun --topomap=auto.",
    .groups = {{rows, 0}},
};

/* A run may be a day: the catalogue is tried before it. */
static int check_catalogue(const char *path, struct mapcore_error *err)
{
    struct stat st;

    if (stat(path, &st) == 0 &&
        (!S_ISDIR(st.st_mode) || access(path, W_OK | X_OK) < 0))
        return error_set(err, MAPCORE_EIO, "%.300s cannot be written: %s", path,
                         S_ISDIR(st.st_mode) ? strerror(errno)
                                             : strerror(ENOTDIR));
    return 0;
}

static int add(struct tool_list *words,
               const char *name,
               const char *value,
               struct mapcore_error *err)
{
    int error = tool_list_add(words, name, err);

    return error < 0 ? error : tool_list_add(words, value, err);
}

/* The catalogue that is named, else the user's own; ranks may start in another
 * folder. *out owned. */
static int find_catalogue(char **out,
                          const char *named,
                          struct mapcore_error *err)
{
    char *here = NULL;
    struct buffer path = {0};
    int error;

    if (!named)
        return catalogue_user_root(out, err);
    if (*named != '/' && !(here = getcwd(NULL, 0)))
        return error_set(err, MAPCORE_EIO, "%.300s: %s", named,
                         strerror(errno));
    error = buffer_printf(&path, err, "%s%s%s", here ? here : "",
                          here ? "/" : "", named);
    free(here);
    *out = buffer_steal(&path);
    return error;
}

/* Becomes launchers.py, which is told where recorder, catalogue and spool are;
 * the spool it has filed at the end. */
static int record(struct record_options *options, struct mapcore_error *err)
{
    struct tool_list *words = &options->words;
    struct buffer recorder = {0}, keeper = {0};
    char *catalogue = NULL, *spool = NULL;
    int error =
        installed_path(&recorder, TOPOMAP_RECORDERDIR, "libcommprof.so", err);

    if (error == 0)
        error = installed_path(&keeper, TOPOMAP_PROBEDIR, "commprof-keep", err);
    if (error == 0)
        error = find_catalogue(&catalogue, options->catalogue, err);
    if (error == 0)
        error = add(words, "catalogue", catalogue, err);
    if (error == 0)
        error = check_catalogue(catalogue, err);
    if (error == 0)
        error = add(words, "recorder", recorder.bytes, err);
    if (error == 0 && !options->print &&
        (error = own_spool_make(&spool, catalogue, err)) == 0 &&
        (error = add(words, "keeper", keeper.bytes, err)) == 0)
        error = add(words, "spool", spool, err);
    if (error == 0)
        error = script_become("launchers.py", "record", words, options->command,
                              err);
    if (spool)
        (void)spool_folder_remove(spool);
    free(catalogue);
    free(spool);
    buffer_clear(&recorder);
    buffer_clear(&keeper);
    return error;
}

int record_main(int argc, char **argv)
{
    struct record_options options = {.name = NULL};
    struct mapcore_error err;
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv)) {
        if (!*options.command)
            status = tool_usage("record", "COMMAND is missing");
        else if ((options.json || options.csv) && !options.print)
            status = tool_usage("record", "--%s is for --dry-run",
                                options.json ? "json" : "csv");
        else if (record(&options, &err) < 0)
            status = tool_fail("%s", err.text);
    }
    free(options.words.item);
    return status;
}
