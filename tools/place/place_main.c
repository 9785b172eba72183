/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* place_main.c - topomap place and topomap record: launchers other than srun,
 * with their ranks where topomap plan puts them, or recorded; their options,
 * with which they become launchers.py */
#include "config.h"

#include "base/buffer.h"
#include "launch/spool_folder.h"
#include "tools/common/installed.h"
#include "tools/common/script.h"
#include "tools/plan/plan_options.h"
#include "tools/profile/profile_select.h"
#include "tools/profile/recorded/collect.h"
#include "tools/site/site.h"
#include "tools/table/answer.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum launcher { AUTO, OPENMPI, PRRTE, HYDRA, INTEL, PALS, FLUX, JSRUN };

/* launchers.py knows them. */
static const struct option_word launcher_words[] = {
    {"auto", AUTO, "by its name and version", false},
    {"openmpi", OPENMPI, "4 and before", false},
    {"prrte", PRRTE, "Open MPI 5", false},
    {"hydra", HYDRA, "MPICH", false},
    {"intel", INTEL, NULL, false},
    {"pals", PALS, "HPE Cray", false},
    {"flux", FLUX, NULL, false},
    {"jsrun", JSRUN, NULL, false},
    {NULL, 0, NULL, false},
};

enum { CANNOT_RUN = 126, NOT_FOUND = 127 }; /* as of a shell */

struct place_options {
    struct plan_options plan; /* its rows of graph and search are ours */
    const char *hosts;
    enum launcher launcher;
    bool binds, print, verbose;
    struct answer_form form;
    char **command;
    struct tool_list words;
};

static const struct option_row place_rows[] = {
    {OPTION_TAKES("nodefile", "FILE", struct place_options, hosts)},
    {OPTION("launcher", "WHAT"),
     OPTION_WORD_INTO(struct place_options, launcher, launcher_words),
     .shows_default = true},
    {OPTION_TAKES("program",
                  "FILE",
                  struct place_options,
                  plan.planner.request.program)},
    {OPTION_NAMED("bind", struct place_options, binds)},
    {OPTION_NAMED("dry-run", struct place_options, print)},
    {OPTION_NAMED("json", struct place_options, form.json)},
    {OPTION_NAMED("csv", struct place_options, form.csv)},
    {OPTION_NAMED("verbose", struct place_options, verbose), .letter = 'v'},
    {.name = NULL},
};

static const struct command_line place_line = {
    .name = "place",
    .stops = true,
    .rest = offsetof(struct place_options, command),
    .words = offsetof(struct place_options, words),
    .groups = {{place_rows, 0},
               {plan_graph_rows,
                offsetof(struct place_options, plan.planner.request)},
               {timed_search_rows,
                offsetof(struct place_options, plan.planner.request.search)}},
};

/* What both commands need, and what only a dry run prints. */
static int check(const struct command_line *line,
                 char *const *command,
                 bool prints,
                 const char *form)
{
    return !*command ? tool_usage(line->name, "COMMAND is missing")
           : form && !prints
               ? tool_usage(line->name, "--%s is for --dry-run", form)
               : TOOL_OK;
}

static int place(const struct place_options *options, struct mapcore_error *err)
{
    int error = script_become("launchers.py", "place", &options->words,
                              options->command, err);
    if (options->print)
        return error;
    /* A mapping is never a reason to lose a job. */
    tool_note("%s; the ranks are left where they are", err->text);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    execvp(options->command[0], options->command);
    tool_note("%s: %s", options->command[0], strerror(errno));
    return errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
}

int place_main(int argc, char **argv, struct mapcore_error *err)
{
    struct place_options options = {
        .plan.planner.request.search = {SEARCH_DEFAULTS}};
    int status;

    if (command_line_parse(&status, &place_line, &options, argc, argv) &&
        (status = check(&place_line, options.command, options.print,
                        answer_word(&options.form))) == TOOL_OK)
        status = place(&options, err);
    free(options.words.item);
    planner_clear(&options.plan.planner);
    return status;
}

struct record_options {
    const char *name, *catalogue, *program, *config;
    enum launcher launcher;
    uint32_t seconds;
    bool print, quiet;
    struct answer_form form;
    char **command;
    struct tool_list words;
};

static const struct option_row record_rows[] = {
    {OPTION_TAKES("name", "NAME", struct record_options, name)},
    {OPTION_TAKES("program", "FILE", struct record_options, program)},
    {OPTION_TAKES("catalogue", "DIR", struct record_options, catalogue)},
    {OPTION_TAKES("config", "FILE", struct record_options, config)},
    {OPTION_TAKES("time", "N", struct record_options, seconds), .min = 1},
    {OPTION("launcher", "WHAT"),
     OPTION_WORD_INTO(struct record_options, launcher, launcher_words),
     .shows_default = true},
    {OPTION_NAMED("dry-run", struct record_options, print)},
    {OPTION_NAMED("json", struct record_options, form.json)},
    {OPTION_NAMED("csv", struct record_options, form.csv)},
    {OPTION_NAMED("quiet", struct record_options, quiet), .letter = 'q'},
    {.name = NULL},
};

static const struct command_line record_line = {
    .name = "record",
    .stops = true,
    .rest = offsetof(struct record_options, command),
    .words = offsetof(struct record_options, words),
    .groups = {{record_rows, 0}},
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

/* Becomes launchers.py, which gets the places of recorder, catalogue and spool;
 * the spool it has filed at the end. */
static int record(struct record_options *options, struct mapcore_error *err)
{
    struct tool_list *words = &options->words;
    struct buffer recorder = {0};
    char *catalogue = NULL, *spool = NULL;
    int error;

    if (!options->catalogue)
        site_root_export_of(options->config);
    if ((error = installed_path(&recorder, TOPOMAP_RECORDERDIR,
                                "libcommprof.so", err)) == 0 &&
        (error = script_add(words, "recorder", recorder.bytes, err)) == 0 &&
        (error = profile_root_absolute(&catalogue, options->catalogue, err)) ==
            0 &&
        (error = script_add(words, "catalogue", catalogue, err)) == 0 &&
        (error = check_catalogue(catalogue, err)) == 0 &&
        (options->print ||
         ((error = collect_make_spool(&spool, catalogue, err)) == 0 &&
          (error = script_add(words, "spool", spool, err)) == 0)))
        error = script_become("launchers.py", "record", words, options->command,
                              err);
    if (spool)
        (void)spool_folder_remove(spool);
    free(catalogue);
    free(spool);
    buffer_clear(&recorder);
    return error;
}

int record_main(int argc, char **argv, struct mapcore_error *err)
{
    struct record_options options = {.name = NULL};
    int status;

    if (command_line_parse(&status, &record_line, &options, argc, argv) &&
        (status = check(&record_line, options.command, options.print,
                        answer_word(&options.form))) == TOOL_OK)
        status = record(&options, err);
    free(options.words.item);
    return status;
}
