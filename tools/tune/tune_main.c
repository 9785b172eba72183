/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* tune_main.c - topomap tune: runs a program with each of its task graphs, and
 * remembers which is best (ICS'17, section 4.1.2) */
#include "config.h"

#include "tools/tune/tune.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/text.h"
#include "launch/defaults.h"
#include "tools/common/command_line.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    DEFAULT_REPEAT = 3,
    MOST_REPEAT = 1000,
};

/* Both as typed, for srun, and in seconds. */
static int take_time(void *at, const char *text, struct mapcore_error *err)
{
    struct tune *out = at;
    double seconds;

    if (!text_parse_double(text, &seconds) || seconds < 0.01 ||
        seconds > DEFAULTS_SECONDS_MOST)
        return error_set(err, MAPCORE_EINVAL,
                         "'%s' is not a number from 0.01 to %d", text,
                         DEFAULTS_SECONDS_MOST);
    out->budget = text;
    out->budget_s = seconds;
    return 0;
}

static const struct option_row rows[] = {
    {.name = "repeat",
     .argument = "N",
     OPTION_INTO(struct tune, repeat),
     .min = 1,
     .max = MOST_REPEAT,
     .shows_default = true,
     .help = "runs of each graph, in turn"},
    {.name = "time",
     .argument = "SECONDS",
     .kind = OPTION_CALL,
     .take = take_time,
     .help = "for each plan (default " DEFAULTS_TEXT(
         DEFAULTS_SECONDS) ", or what the site says)"},
    {.name = "share",
     .argument = "S",
     OPTION_INTO(struct tune, share),
     .least = 1e-6,
     .most = 1,
     .shows_default = true,
     .help = "how much of the communication time the types that are tried make "
             "up"},
    {.name = "name",
     .argument = "NAME",
     OPTION_INTO(struct tune, name),
     .help = "the profile filed under that name, as with srun's "
             "--topomap=auto,name=NAME"},
    {.name = "exe",
     .argument = "FILE",
     OPTION_INTO(struct tune, exe),
     .help = "the program that a script of srun's starts"},
    {.name = "record",
     OPTION_INTO(struct tune, fresh),
     .help = "record anew, and begin the evaluation anew"},
    {.name = "forget",
     .argument = "PROFILE",
     OPTION_INTO(struct tune, forget),
     .help = "remove what was measured of PROFILE, as topomap profile names "
             "it; run nothing"},
    {.name = "log",
     .argument = "FILE",
     OPTION_INTO(struct tune, log),
     .help = "append what the runs print to FILE"},
    {.name = "catalogue",
     .argument = "DIR",
     OPTION_INTO(struct tune, catalogues),
     .help = "look there, too; may be repeated"},
    {.name = "config",
     .argument = "FILE",
     OPTION_INTO(struct tune, config),
     .help = "the site file (default " TOPOMAP_SITEFILE ")"},
    {.name = "json", OPTION_INTO(struct tune, json), .help = "print JSON"},
    {.name = "csv",
     OPTION_INTO(struct tune, csv),
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
};

/* srun's words are the user's; only what would undo ours is refused. */
static int check_words(const struct tune *tune)
{
    if (!tune->words[0])
        return tool_usage("tune", "which command? tune -- srun ... PROGRAM");
    if (strcmp(text_last_part(tune->words[0]), "srun") != 0)
        return tool_usage("tune",
                          "the command must begin with srun, not '%s': only a "
                          "step that srun launches itself can be mapped",
                          tune->words[0]);
    for (size_t i = 1; tune->words[i]; i++)
        if (strncmp(tune->words[i], "--topomap", 9) == 0)
            return tool_usage("tune",
                              "leave %s out of srun's words: tune says "
                              "it for each run",
                              tune->words[i]);
    if (!tune->words[1])
        return tool_usage("tune", "srun wants a program");
    return TOOL_OK;
}

static int check_options(const struct tune *tune)
{
    struct mapcore_error err;

    if (tune->name && catalogue_check_name(tune->name, &err) < 0)
        return tool_usage("tune", "--name: %s", err.text);
    if (tune->forget && tune->forget[0] == '-')
        return tool_usage("tune",
                          "--forget wants a profile, PROGRAM[:NTASKS], "
                          "name:NAME[:NTASKS] or a folder, not '%s'",
                          tune->forget);
    if (tune->forget && tune->words[0])
        return tool_usage("tune",
                          "--forget takes one profile and runs nothing: leave "
                          "'%s' out",
                          tune->words[0]);
    if (tune->forget)
        return TOOL_OK;
    if (tune->exe && strchr(tune->exe, ','))
        return tool_usage("tune", "--exe: srun takes no comma in '%s'",
                          tune->exe);
    return check_words(tune);
}

/* A folder that all nodes see: in the user's catalogue. */
static int open_scratch(struct tune *tune, struct mapcore_error *err)
{
    char *root = NULL, here[PATH_MAX] = "";
    struct buffer path = {0}, own = {0};
    int error = catalogue_user_root(&root, err);

    if (error < 0)
        return error;
    if (root[0] != '/' && !getcwd(here, sizeof(here)))
        error =
            error_set(err, MAPCORE_EIO, "%.300s: %s", root, strerror(errno));
    if (error == 0)
        error = buffer_printf(&own, err, "%s%s%s", here,
                              here[0] != '\0' ? "/" : "", root);
    if (error == 0)
        error = buffer_printf(&path, err, "%s/.tune-XXXXXX", own.bytes);
    if (error == 0 && strchr(path.bytes, ','))
        error = error_set(err, MAPCORE_EINVAL,
                          "the catalogue %.300s has a comma in its name, which "
                          "srun's options divides",
                          own.bytes);
    if (error == 0)
        error = catalogue_make_root(own.bytes, err);
    if (error == 0 && !mkdtemp(path.bytes))
        error = error_set(err, MAPCORE_EIO, "cannot write to %.300s: %s",
                          own.bytes, strerror(errno));
    if (error == 0) {
        tune->own = buffer_steal(&own);
        tune->scratch = buffer_steal(&path);
    }
    buffer_clear(&own);
    buffer_clear(&path);
    free(root);
    return error;
}

static int remove_one(const char *path,
                      const struct stat *st,
                      int type,
                      struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

static bool same_graphs(const struct evaluation *a, const struct evaluation *b)
{
    if (a->ngraphs != b->ngraphs)
        return false;
    for (size_t i = 0; i < a->ngraphs; i++)
        if (strcmp(a->graphs[i].name, b->graphs[i].name) != 0)
            return false;
    return true;
}

/* Runs on other nodes compare among themselves only: whole rounds stay. */
static void keep_rounds(struct evaluation *evaluation)
{
    size_t least = evaluation->graphs[0].nruns;

    for (size_t i = 1; i < evaluation->ngraphs; i++)
        if (evaluation->graphs[i].nruns < least)
            least = evaluation->graphs[i].nruns;
    for (size_t i = 0; i < evaluation->ngraphs; i++)
        evaluation_cut(&evaluation->graphs[i], least);
}

/* Goes on with what an earlier tune could not finish. */
static void take_up(struct tune *tune)
{
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    struct evaluation *before = NULL;
    struct mapcore_error ignored;

    if (tune->fresh || evaluation_read(&before, tune->folder, &ignored) < 0)
        return;
    before->repeat = tune->repeat;
    if (evaluation_is_complete(before) ||
        !same_graphs(before, tune->evaluation)) {
        evaluation_destroy(before);
        return;
    }
    if (!nodes || !before->nodes || strcmp(nodes, before->nodes) != 0)
        keep_rounds(before);
    tool_note("goes on with an evaluation that was begun %s",
              before->evaluated ? before->evaluated : "before");
    evaluation_destroy(tune->evaluation);
    tune->evaluation = before;
}

static int stamp(struct evaluation *evaluation, struct mapcore_error *err)
{
    char text[32];
    time_t now = time(NULL);
    struct tm tm;
    char *copy;

    if (!gmtime_r(&now, &tm) ||
        strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
        return error_set(err, MAPCORE_ERANGE, "no such time");
    copy = strdup(text);
    if (!copy)
        return error_set(err, MAPCORE_ENOMEM, "no memory");
    free(evaluation->evaluated);
    evaluation->evaluated = copy;
    return 0;
}

/* What was measured is stored at once: nothing that happens later loses it. */
static int add_run(struct tune *tune,
                   size_t graph,
                   const struct tune_run *run,
                   struct mapcore_error *err)
{
    struct evaluation *evaluation = tune->evaluation;
    const char *nodes = getenv("SLURM_JOB_NODELIST");
    int error = evaluation_add(evaluation, graph, &run->of, err);

    if (error < 0)
        return error;
    evaluation->graphs[graph].hops_per_byte = run->hops_per_byte;
    evaluation->graphs[graph].before = run->before;
    evaluation->graphs[graph].max_hops_per_byte = run->max_hops_per_byte;
    evaluation->graphs[graph].max_before = run->max_before;
    if (!nodes)
        nodes = tune->nodes;
    if (nodes) {
        free(evaluation->nodes);
        evaluation->nodes = strdup(nodes);
    }
    tune->done++;
    evaluation_judge(evaluation);
    error = stamp(evaluation, err);
    return error < 0 ? error : evaluation_write(evaluation, tune->folder, err);
}

/* The first run tells what runs: its program, build and number of tasks. */
static int begin(struct tune *tune, struct mapcore_error *err)
{
    struct tool_list names = {0};
    struct tune_run run;
    int error = tune_run(&run, tune, 0, err);

    if (error != 0)
        return error;
    if ((error = tune_find_profile(tune, &run.recording, err)) == 0 &&
        (error = taskgraphs_select(&tune->graphs, tune->profile, tune->share,
                                   err)) == 0 &&
        (error = tune_list_graphs(&names, tune, err)) == 0)
        error = evaluation_create(&tune->evaluation, names.item, names.n,
                                  tune->repeat, err);
    if (error == 0) {
        take_up(tune);
        error = add_run(tune, 0, &run, err);
    }
    for (size_t i = 0; error == 0 && i < tune->evaluation->ngraphs; i++)
        if (tune->evaluation->graphs[i].nruns < tune->repeat)
            tune->planned +=
                tune->repeat - (unsigned)tune->evaluation->graphs[i].nruns;
    tune->planned += tune->done;
    free(names.item);
    tune_run_clear(&run);
    return error;
}

/* One round is one run of each, so that what changes with time hits all. */
static int run_rounds(struct tune *tune, struct mapcore_error *err)
{
    int error = 0;

    for (uint32_t round = 1; round <= tune->repeat; round++)
        for (size_t i = 0; i < tune->evaluation->ngraphs; i++) {
            struct tune_run run;

            if (tune->evaluation->graphs[i].nruns >= round)
                continue;
            if ((error = tune_run(&run, tune, i, err)) != 0)
                return error;
            error = add_run(tune, i, &run, err);
            tune_run_clear(&run);
            if (error < 0)
                return error;
        }
    return 0;
}

/* Said before hours of runs, not after each of them. */
static int check_log(const struct tune *tune, struct mapcore_error *err)
{
    FILE *file = NULL;
    int error = tune->log ? tool_append_open(&file, tune->log, err) : 0;

    if (file)
        fclose(file);
    return error;
}

static void block_signals(void)
{
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGCHLD};
    sigset_t set;

    sigemptyset(&set);
    for (size_t i = 0; i < sizeof(signals) / sizeof(*signals); i++)
        sigaddset(&set, signals[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGCHLD, SIG_DFL);
}

static int run_all(struct tune *tune)
{
    struct mapcore_error err;
    int status = TOOL_OK;
    int error;

    if (!getenv("SLURM_JOB_ID"))
        tool_note("not inside an allocation: each run may get other nodes");
    block_signals();
    error = check_log(tune, &err);
    if (error == 0)
        error = open_scratch(tune, &err);
    if (error == 0)
        error = begin(tune, &err);
    if (error == 0)
        error = run_rounds(tune, &err);
    if (error < 0)
        status = tool_fail("%s", err.text);
    if (error == TUNE_INTERRUPTED) {
        tool_note("%s: %s", strsignal(tune->signal),
                  tune->evaluation ? "what was measured is kept"
                                   : "nothing was measured yet");
        status = 128 + tune->signal;
    }
    if (tune->evaluation && tune->evaluation->graphs[0].nruns > 0 &&
        tune_report(tune, &err) < 0)
        status = tool_fail("%s", err.text);
    return status;
}

static int forget(const struct tune *tune)
{
    struct mapcore_error err;

    return tune_forget(tune, &err) < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}

static void clear(struct tune *tune)
{
    if (tune->scratch)
        nftw(tune->scratch, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    taskgraphs_clear(&tune->graphs);
    profile_destroy(tune->profile);
    evaluation_destroy(tune->evaluation);
    free(tune->catalogues.item);
    for (size_t i = 0; i < TUNE_PHASES; i++)
        free(tune->phase_graph[i]);
    free(tune->folder);
    free(tune->scratch);
    free(tune->nodes);
    free(tune->own);
}

int tune_main(int argc, char **argv)
{
    struct tune tune = {
        .repeat = DEFAULT_REPEAT,
        .share = MAPCORE_CRITICAL_SHARE,
        .budget_s = DEFAULTS_SECONDS,
    };
    int status;

    if (command_line_parse(&status, &line, &tune, argc, argv) &&
        (status = check_options(&tune)) == TOOL_OK)
        status = tune.forget ? forget(&tune) : run_all(&tune);
    clear(&tune);
    return status;
}
