/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_main.c - topomap tune: its options, with which it becomes tune.py */
#include "config.h"

#include "launch/defaults.h"
#include "profiles/catalogue/catalogue.h"
#include "profiles/taskgraphs.h"
#include "tools/common/command_line.h"
#include "tools/common/script.h"
#include "tools/site/site.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    DEFAULT_REPEAT = 3,
    MOST_REPEAT = 1000,
};

/* As typed; tune.py judges what it means. */
struct tune {
    const char *name, *exe, *config, *log, *forget; /* NULL: not said */
    struct tool_list catalogues, given;
    double time_s, share;
    uint32_t repeat;
    bool fresh, json, csv;
    char **words; /* srun and its words, NULL behind them */
};

static int take_name(void *at, const char *text, struct mapcore_error *err)
{
    *(const char **)at = text;
    return catalogue_check_name(text, err);
}

static const struct option_row rows[] = {
    {OPTION_TAKES("repeat", "N", struct tune, repeat), .min = 1,
     .max = MOST_REPEAT, .shows_default = true,
     .help = "runs of each graph, in turn"},
    {OPTION_TAKES("time", "SECONDS", struct tune, time_s), .least = 0.01,
     .most = DEFAULTS_SECONDS_MOST,
     .help = "for each plan (default " DEFAULTS_TEXT(
         DEFAULTS_SECONDS) ", or what the site says)"},
    {OPTION_TAKES("share", "S", struct tune, share), .least = 1e-6, .most = 1,
     .shows_default = true,
     .help = "how much of the communication time the types that are tried make "
             "up"},
    {OPTION("name", "NAME"), OPTION_CALL_INTO(struct tune, name, take_name),
     .help = "the profile filed under that name, as with srun's "
             "--topomap=auto,name=NAME"},
    {OPTION_TAKES("program", "FILE", struct tune, exe),
     .help = "the program that a script of srun's starts"},
    {OPTION_NAMED("record", struct tune, fresh),
     .help = "record anew, and begin the evaluation anew"},
    {OPTION_TAKES("forget", "PROFILE", struct tune, forget),
     .help = "remove what was measured of PROFILE, as topomap profile names "
             "it; run nothing"},
    {OPTION_TAKES("log", "FILE", struct tune, log),
     .help = "append what the runs print to FILE"},
    {OPTION_TAKES("catalogue", "DIR", struct tune, catalogues),
     .help = "look there, too; may be repeated"},
    {OPTION_TAKES("config", "FILE", struct tune, config),
     .help = "the site file (default " TOPOMAP_SITEFILE ")"},
    {OPTION_NAMED("json", struct tune, json), .help = "print JSON"},
    {OPTION_NAMED("csv", struct tune, csv),
     .help = "the same as comma-separated values, a line a graph"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "tune",
    .forms = (const char *const[]){"[OPTION]... -- srun [OPTION]... PROGRAM "
                                   "[ARGUMENT]...",
                                   "--forget PROFILE [OPTION]...", NULL},
    .about = "Runs srun's command in Slurm's own layout and mapped by each "
             "task graph of the program, and remembers the fastest: "
             "--topomap=auto uses it from then on. Records the program's "
             "profile first unless there is one. Best inside an allocation, so "
             "that all runs get the same nodes.",
    .groups = {{rows, 0}},
    .stops = true,
    .rest = offsetof(struct tune, words),
    .words = offsetof(struct tune, given),
};

static int become(struct tune *tune, struct mapcore_error *err)
{
    static const char budget[] = DEFAULTS_TEXT(DEFAULTS_SECONDS);
    char share[32], log[16], *own = NULL;
    int fd = -1, error = 0;

    snprintf(share, sizeof(share), "%.17g", tune->share);
    site_root_export_of(tune->config);
    /* The user's catalogue, which all nodes see. */
    if (!tune->forget && tune->words[0] &&
        (error = catalogue_user_root(&own, err)) == 0 &&
        (error = catalogue_make_root(own, err)) == 0)
        error = script_add(&tune->given, "own", own, err);
    /* Said before hours of runs, not after each. */
    if (error == 0 && tune->log &&
        (fd = error = tool_append_open(tune->log, err)) >= 0) {
        snprintf(log, sizeof(log), "%d", fd);
        error = script_add(&tune->given, "log-fd", log, err);
    }
    if (error == 0 &&
        (error = script_add(&tune->given, "share", share, err)) == 0 &&
        (error = script_add(&tune->given, "budget", budget, err)) == 0)
        error =
            script_become("tune.py", "tune", &tune->given, tune->words, err);
    if (fd >= 0)
        close(fd);
    free(own);
    return error;
}

int tune_main(int argc, char **argv, struct mapcore_error *err)
{
    struct tune tune = {
        .repeat = DEFAULT_REPEAT,
        .share = MAPCORE_CRITICAL_SHARE,
    };
    int status;

    if (command_line_parse(&status, &line, &tune, argc, argv))
        status = become(&tune, err);
    free(tune.catalogues.item);
    free(tune.given.item);
    return status;
}
