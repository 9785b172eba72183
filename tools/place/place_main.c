/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* place_main.c - topomap place: a launcher other than srun, with its ranks
 * where topomap plan puts them */
#include "config.h"

#include "tools/common/script.h"
#include "tools/place/launcher_words.h"
#include "tools/plan/plan_options.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CANNOT_RUN = 126, NOT_FOUND = 127 }; /* as of a shell */

struct place_options {
    struct plan_options plan; /* its rows of graph and search are ours */
    const char *hosts;
    enum { AUTO } launcher;
    bool binds, print, verbose, json, csv;
    char **command;
    struct tool_list words;
};

static const struct option_row rows[] = {
    {.name = "nodefile",
     .argument = "FILE",
     OPTION_INTO(struct place_options, hosts),
     .help = "the job's nodes, a line each, NODE[:RANKS] (default: as Flux, "
             "Slurm, PBS, LSF or OAR say it)"},
    {.name = "launcher",
     .argument = "WHAT",
     OPTION_WORD_INTO(struct place_options, launcher, launcher_words),
     .shows_default = true,
     .help = "what COMMAND is"},
    {.name = "program",
     .argument = "FILE",
     OPTION_INTO(struct place_options, plan.planner.request.program),
     .help = "the executable that the ranks run, where COMMAND does not show "
             "it"},
    {.name = "bind",
     OPTION_INTO(struct place_options, binds),
     .help = "Open MPI: a rankfile, which binds each rank to one core as well"},
    {.name = "dry-run",
     OPTION_INTO(struct place_options, print),
     .help = "start nothing: print what would be done, for a shell"},
    {.name = "json",
     OPTION_INTO(struct place_options, json),
     .help = "with --dry-run: as JSON, an object with placed, reason, job, "
             "launcher, file, environment and command"},
    {.name = "csv",
     OPTION_INTO(struct place_options, csv),
     .help = "the same as comma-separated values"},
    {.name = "verbose",
     .letter = 'v',
     OPTION_INTO(struct place_options, verbose),
     .help = "say what job and what launcher were found"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "place",
    .forms =
        (const char *const[]){"[OPTION]... -- COMMAND [ARGUMENT]...", NULL},
    .stops = true,
    .rest = offsetof(struct place_options, command),
    .words = offsetof(struct place_options, words),
    .about = "Starts COMMAND, an mpiexec, mpirun, flux run or jsrun, so that "
             "its ranks sit where topomap plan would put them. Where nothing "
             "is to be gained, or anything fails, COMMAND starts as it is.",
    .groups = {{rows, 0},
               {plan_graph_rows, offsetof(struct place_options, plan)},
               {timed_search_rows,
                offsetof(struct place_options, plan.planner.request.search)}},
};

static int place(const struct place_options *options)
{
    struct mapcore_error err;

    (void)script_become("launchers.py", "place", &options->words,
                        options->command, &err);
    if (options->print)
        return tool_fail("%s", err.text);
    /* A mapping is never a reason to lose a job. */
    tool_note("%s; the ranks are left where they are", err.text);
    signal(SIGPIPE, SIG_DFL);
    signal(SIGXFSZ, SIG_DFL);
    execvp(options->command[0], options->command);
    tool_note("%s: %s", options->command[0], strerror(errno));
    return errno == ENOENT ? NOT_FOUND : CANNOT_RUN;
}

int place_main(int argc, char **argv)
{
    struct place_options options = {
        .plan.planner.request.search = {SEARCH_DEFAULTS}};
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv)) {
        if (!*options.command)
            status = tool_usage("place", "COMMAND is missing");
        else if ((options.json || options.csv) && !options.print)
            status = tool_usage("place", "--%s is for --dry-run",
                                options.json ? "json" : "csv");
        else
            status = place(&options);
    }
    free(options.words.item);
    planner_clear(&options.plan.planner);
    return status;
}
