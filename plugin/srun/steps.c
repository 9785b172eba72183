/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* steps.c - the step as srun shows it: its handle, its environment, its command
 * line */
#include "config.h"

#include "plugin/srun/steps.h"

#include "base/array.h"
#include "base/error_set.h"
#include "launch/plan_words.h"
#include "plugin/policy.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define COMMAND_LINE_MOST 65536

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

/* srun keeps its options to itself: its own command line, into
 * words[COMMAND_LINE_MOST]. 0: it cannot be read. */
static size_t read_command_line(char *words)
{
    int fd = open("/proc/self/cmdline", O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, words, COMMAND_LINE_MOST);

    if (fd >= 0)
        close(fd);
    return n > 0 ? (size_t)n : 0;
}

bool steps_is_async(void)
{
    char words[COMMAND_LINE_MOST];
    size_t n = read_command_line(words);
    int nwords = 0;

    for (size_t i = 0; i < n; i++)
        nwords += words[i] == '\0';
    /* The program is not known yet, but srun has just read its options by
     * getopt_long(), which stopped where the program stands. */
    return policy_has_option(words, n, nwords - optind, "--async");
}

static bool has_external_launcher(spank_t spank)
{
    char words[COMMAND_LINE_MOST];
    size_t n = read_command_line(words);
    char **argv = NULL;
    int argc = 0;

    return spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS &&
           policy_has_option(words, n, argc, "--external-launcher");
}

bool steps_has_gpus(spank_t spank)
{
    static const char *const names[] = {
        "SLURM_GPUS",          "SLURM_GPUS_PER_NODE",  "SLURM_GPUS_PER_SOCKET",
        "SLURM_GPUS_PER_TASK", "SLURM_NTASKS_PER_GPU", "SLURM_GPUS_ON_NODE",
        "SLURM_JOB_GPUS",
    };
    char words[COMMAND_LINE_MOST];
    char **argv = NULL;
    int argc = 0;
    size_t n;

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (getenv(names[i]))
            return true;
    n = read_command_line(words);
    return spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS &&
           policy_asks_for_gpus(words, n, argc);
}

/* The command as typed; *out is owned. 0: srun shows none. */
static int copy_command(char ***out, spank_t spank)
{
    char words[COMMAND_LINE_MOST], **argv = NULL, **copy;
    size_t n = read_command_line(words), size;
    const char *program = NULL;
    int argc = 0;

    if (spank_get_item(spank, S_JOB_ARGV, &argc, &argv) != ESPANK_SUCCESS ||
        argc < 1)
        return 0;
    if (n < sizeof(words))
        program = policy_copied_program(words, n, argc,
                                        getenv("SLURM_BCAST") != NULL);
    if (!program)
        program = argv[0];
    size = strlen(program) + 1;
    copy = malloc(((size_t)argc + 1) * sizeof(*copy) + size);
    if (!copy)
        return 0;
    memcpy(copy, argv, (size_t)argc * sizeof(*copy));
    copy[argc] = NULL;
    copy[0] = memcpy(copy + argc + 1, program, size);
    *out = copy;
    return argc;
}

int steps_command(char ***out,
                  spank_t spank,
                  const struct options *options,
                  int most)
{
    char **argv = NULL;
    int argc = options->exe ? 0 : copy_command(&argv, spank);

    if (argc > most) {
        free(argv);
        return 0;
    }
    *out = argv;
    return argc;
}

bool steps_has_container(spank_t spank)
{
    char words[COMMAND_LINE_MOST];
    size_t n = read_command_line(words);
    char **argv = NULL;
    int argc = 0;

    return spank_get_item(spank, S_JOB_ARGV, &argc, &argv) == ESPANK_SUCCESS &&
           policy_asks_for_container(words, n, argc);
}

/* What is to be done is told without the file of the program. */
static bool does_without_program(const struct options *options)
{
    return options->name ||
           (options->graph && (graph_word_is_file(options->graph) ||
                               graph_word_is_pattern(options->graph) ||
                               graph_word_plan(options->graph)));
}

const char *steps_left_alone(spank_t spank,
                             const struct options *options,
                             const char *program)
{
    if (policy_is_launcher(program) || has_external_launcher(spank))
        return "the daemons of mpirun are left alone: start the program by "
               "srun itself";
    if (has_components(spank))
        return "a step of several components is left alone";
    /* Nobody asked, and ranks that leave their node may leave their GPU. */
    if (options->mode == OPTIONS_AUTO && !options->typed &&
        !options_move_nodes(options) && steps_has_gpus(spank))
        return "";
    return NULL;
}

int steps_look_up(struct lookup *out,
                  spank_t spank,
                  const struct options *options,
                  double seconds,
                  struct mapcore_error *err)
{
    struct lookup_request request = {
        .command = options->exe,
        .path = getenv("PATH"),
        .is_told = !options->exe && does_without_program(options),
        .records = options->mode == OPTIONS_PROFILE || options->record,
        .recorder = options_recorder_word(options) ? NULL : options->recorder,
    };
    char **argv = NULL;
    int error;

    if (!options->exe) {
        if (copy_command(&argv, spank) == 0)
            return error_set(err, MAPCORE_ENOENT, "srun names no program");
        request.command = argv[0];
    }
    /* Nothing depends on where it is: srun is not forked to find that out. */
    if (request.is_told && !request.records && !options->learn) {
        out->program =
            array_copy(request.command, strlen(request.command) + 1, 1, err);
        error = out->program ? 0 : MAPCORE_ENOMEM;
    } else {
        error = lookup_launch(out, &request, seconds, err);
    }
    free(argv);
    return error;
}
