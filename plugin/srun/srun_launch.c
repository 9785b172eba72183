/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* srun_launch.c - the step as srun shows it, by its handle, its environment and
 * its command line; and what goes from it to its tasks or to its user */
#include "config.h"

#include "plugin/srun/srun_launch.h"

#include "base/error_set.h"
#include "base/text.h"
#include "launch/plan_words.h"
#include "plugin/handoff/handoff.h"
#include "plugin/srun/child.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* srun keeps its options to itself: its own command line. 0: it cannot be
 * read. */
static size_t read_command_line(char line[LAUNCH_LINE_MOST])
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, line, LAUNCH_LINE_MOST);

    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

bool launch_is_async(void)
{
    char line[LAUNCH_LINE_MOST];
    size_t n = read_command_line(line);
    struct policy_words words;
    int nwords = 0;

    for (size_t i = 0; i < n; i++)
        nwords += line[i] == '\0';
    /* The program is not known yet, but srun has just read its options by
     * getopt_long(), which stopped where the program stands. */
    words = policy_own_words(line, n, nwords - optind);
    return policy_has_option(&words, "--async");
}

/* Newer Slurms say when the job's time is up. */
static double job_left(void)
{
    const char *end = getenv("SLURM_JOB_END_TIME");
    uint64_t at;

    return end && text_parse_u64(end, &at) ? (double)at - (double)time(NULL)
                                           : 0;
}

/* The command as typed: of what srun copies to the nodes it shows where to. */
static void take_command(struct launch *launch, size_t nline)
{
    const bool copies =
        policy_has_option(&launch->srun, "--bcast") || getenv("SLURM_BCAST");
    char **argv = NULL;
    int argc = 0;

    if (spank_get_item(launch->spank, S_JOB_ARGV, &argc, &argv) !=
            ESPANK_SUCCESS ||
        argc < 1 || !(launch->typed = calloc((size_t)argc + 1, sizeof(*argv))))
        return;
    memcpy(launch->typed, argv, (size_t)argc * sizeof(*argv));
    if (copies && launch->srun.program && nline < LAUNCH_LINE_MOST)
        launch->typed[0] = launch->line + (launch->srun.program - launch->line);
    if (!launch->options->exe && argc <= LAUNCH_TYPED_MOST)
        launch->ntyped = argc;
}

int launch_begin(struct launch *launch, struct mapcore_error *err)
{
    const char *const exe[] = {launch->options->exe, NULL};
    size_t n = read_command_line(launch->line);
    char **argv = NULL;
    int argc = 0, error;

    if (spank_get_item(launch->spank, S_JOB_ARGV, &argc, &argv) ==
        ESPANK_SUCCESS)
        launch->srun = policy_own_words(launch->line, n, argc);
    take_command(launch, n);
    error = site_words_take(
        launch->options, launch->plugstack,
        launch->options->exe ? exe : (const char *const *)launch->typed, err);
    launch->begun = child_clock();
    launch->seconds =
        options_seconds(launch->options, launch->plugstack, job_left());
    return error;
}

void launch_end(struct launch *launch)
{
    lookup_clear(&launch->files);
    free(launch->typed);
    mapcore_plan_destroy(launch->plan);
    layout_clear(&launch->layout);
}

double launch_time_left(const struct launch *launch)
{
    return launch->begun + launch->seconds - child_clock();
}

int launch_look_up(struct launch *launch, struct mapcore_error *err)
{
    const struct options *options = launch->options;
    const struct lookup_request request = {
        .command = options->exe    ? options->exe
                   : launch->typed ? launch->typed[0]
                                   : NULL,
        .path = getenv("PATH"),
        /* What is to be done is known without the file of the program. */
        .need_not_be = !options->exe &&
                       (options->name || (options->graph &&
                                          graph_word_is_whole(options->graph))),
        .records = options->mode == OPTIONS_PROFILE || options->record,
        .recorder = options_recorder_word(options) ? NULL : options->recorder,
    };

    if (!request.command)
        return error_set(err, MAPCORE_ENOENT, "srun names no program");
    /* Nothing depends on where it is: srun is not forked to find that out. */
    if (request.need_not_be && !request.records && !options->learn)
        return text_copy(&launch->files.program, request.command, err);
    return lookup_launch(&launch->files, &request, launch_time_left(launch),
                         err);
}

/* srun calls its hook once for all components of such a step, with the one that
 * comes first, and has copied the ranks for MPI by then. */
static bool has_components(spank_t spank)
{
    const char *total = getenv("SLURM_NTASKS");
    uint32_t ntasks;

    return total &&
           spank_get_item(spank, S_JOB_TOTAL_TASK_COUNT, &ntasks) ==
               ESPANK_SUCCESS &&
           strtoul(total, NULL, 10) != ntasks;
}

bool launch_has_gpus(const struct launch *launch)
{
    static const char *const names[] = {
        "SLURM_GPUS",          "SLURM_GPUS_PER_NODE",  "SLURM_GPUS_PER_SOCKET",
        "SLURM_GPUS_PER_TASK", "SLURM_NTASKS_PER_GPU", "SLURM_GPUS_ON_NODE",
        "SLURM_JOB_GPUS",
    };

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (getenv(names[i]))
            return true;
    return policy_asks_for_gpus(&launch->srun);
}

const char *launch_refusal(const struct launch *launch)
{
    const struct options *options = launch->options;

    if (policy_is_launcher(launch->files.program) ||
        policy_has_option(&launch->srun, "--external-launcher"))
        return MESSAGE_MPIRUN;
    if (has_components(launch->spank))
        return MESSAGE_HETEROGENEOUS;
    /* No user asked, and ranks that leave their node may leave their GPU. */
    if (options->mode == OPTIONS_AUTO && !options->typed &&
        !options_move_nodes(options) && launch_has_gpus(launch))
        return "";
    return NULL;
}

void launch_send_step(const struct launch *launch, const char *failure)
{
    const struct handoff handoff = {
        .typed = launch->options->typed,
        .verbose = launch->options->verbose,
        .strict = launch->options->strict || child_signal(),
        .dry_run = launch->options->dry_run,
        .failure = failure,
    };
    char text[1024];

    handoff_format(text, sizeof(text), &handoff, launch->job, launch->step);
    setenv(handoff_names[HANDOFF_STEP], text, 1);
}

void launch_say(const struct launch *launch,
                enum outcome outcome,
                const char *format,
                ...)
{
    const bool fails = outcome == OUTCOME_NOT_PLACED ||
                       outcome == OUTCOME_NOT_OBSERVED ||
                       outcome == OUTCOME_NOT_RECORDED;
    const bool does =
        !fails && outcome != OUTCOME_NONE && outcome != OUTCOME_NOT_STARTED;
    const char *end = fails ? "; the job runs as usual" : "";
    char *text = NULL;
    va_list args;
    int n;

    if (!launch->options->typed)
        return;
    va_start(args, format);
    n = vasprintf(&text, format, args);
    va_end(args);
    if (launch->options->dry_run)
        end = fails ? "; nothing is started" : does ? " (dry run)" : "";
    say_user(outcome, "%s%s", n < 0 ? "no memory" : text, end);
    free(n < 0 ? NULL : text);
}

void launch_give_up(const struct launch *launch,
                    enum outcome outcome,
                    const char *reason)
{
    step_end_outcome(&launch->step_files->note, "failed", reason);
    if (launch->options->strict || child_signal())
        launch_send_step(launch, reason);
    else
        launch_say(launch, outcome, "%s", reason);
}
