/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* stats_main.c - topomap stats: what the steps of a history come to, program by
 * program or user by user */
#include "config.h"

#include "tools/history/stats.h"

#include "profiles/history/history_evaluation.h"
#include "tools/common/command_line.h"
#include "tools/history/history_tool.h"
#include "tools/history/since.h"

#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct stats_options {
    double since;
    const char *log;
    bool by_user, by_program, json, csv, prometheus, sacct;
};

static const struct option_row rows[] = {
    {.name = "since",
     .argument = "WHEN",
     OPTION_CALL_INTO(struct stats_options, since, since_take),
     .help = "from that day on (2026-11-01), or so long ago: 36h, 7d, 4w"},
    {.name = "program",
     OPTION_INTO(struct stats_options, by_program),
     .help = "a line a program (the default)"},
    {.name = "user",
     OPTION_INTO(struct stats_options, by_user),
     .help = "a line a user"},
    {.name = "log",
     .argument = "WHERE",
     OPTION_INTO(struct stats_options, log),
     .help =
         "the site's folder in place of your own history, or a file of lines, "
         "-: stdin"},
    {.name = "sacct",
     OPTION_INTO(struct stats_options, sacct),
     .help = "ask Slurm's accounting for seconds that nobody noted"},
    {.name = "json",
     OPTION_INTO(struct stats_options, json),
     .help = "JSON Lines, an object a line"},
    {.name = "csv",
     OPTION_INTO(struct stats_options, csv),
     .help = "comma-separated values, with a line of names"},
    {.name = "prometheus",
     OPTION_INTO(struct stats_options, prometheus),
     .help = "for node_exporter's textfile collector"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "stats",
    .about =
        "Sums up what topomap has done: which programs take the node-hours, "
        "which of them are placed, and what production runs say it is "
        "worth.",
    .groups = {{rows, 0}},
};

static int print(const struct stats *stats, const struct stats_options *options)
{
    struct mapcore_error err;
    int error = 0;

    if (options->json)
        error = stats_print_json(stats, &err);
    else if (options->csv)
        stats_print_csv(stats);
    else if (options->prometheus)
        stats_print_prometheus(stats);
    else
        stats_print_table(stats);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}

/* Runs that the history has no longer are compared with the others. */
static int add_forgotten(struct history *history,
                         const struct own_folder *folder,
                         struct mapcore_error *err)
{
    struct history_evaluation *evaluation = NULL;
    const struct passwd *user = getpwuid(geteuid());
    size_t n = 0, known = history->n;
    int error = history_evaluations_read(&evaluation, &n, folder, err);

    for (size_t i = 0; error == 0 && i < n; i++)
        error = history_add_forgotten(history, &evaluation[i], err);
    for (size_t i = known; error == 0 && user && i < history->n; i++)
        if (!(history->step[i].user = strdup(user->pw_name)))
            error = error_set(err, MAPCORE_ENOMEM, "no memory");
    history_evaluations_clear(evaluation, n);
    return error;
}

int stats_main(int argc, char **argv)
{
    struct stats_options options = {0};
    struct history history = {0};
    struct stats stats = {0};
    struct mapcore_error err;
    struct own_folder *folder = NULL;
    int status, error;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (options.by_user && options.by_program)
        return tool_usage("stats", "--user or --program, not both");
    if (options.json + options.csv + options.prometheus > 1)
        return tool_usage("stats", "one of --json, --csv and --prometheus");
    error = history_open(&history, &folder, options.log, &err);
    if (error == 0 && !options.log && folder)
        error = add_forgotten(&history, folder, &err);
    if (error == 0 && options.sacct)
        error = history_complete(&history, options.since, 0, &err);
    if (error == 0)
        error = stats_make(&stats, &history, options.since, options.by_user,
                           (double)time(NULL), &err);
    status = error < 0 ? tool_fail("%s", err.text) : print(&stats, &options);
    stats_clear(&stats);
    history_clear(&history);
    own_folder_close(folder);
    return status;
}
