/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topomap.c - the command: picks the subcommand, and sees to it that what was
 * printed has arrived */
#include "config.h"

#include "base/text.h"
#include "tools/common/tool.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static tool_command help_main;

static const struct command {
    const char *name;
    tool_command *run;
    const char *summary;
    const char *group; /* the heading in front of it, or NULL */
} commands[] = {
    {"plan", plan_main, "what srun --topomap=auto would do, and why",
     "Everyday"},
    {"profile", profile_main, "the catalogue of recorded programs", NULL},
    {"history", history_main, "what became of the steps that topomap saw",
     NULL},
    {"doctor", doctor_main, "try whether the installation does what it should",
     NULL},
    {"report", report_main, "a program's traffic and placement: a page", NULL},
    {"place", place_main, "start mpiexec and others with ranks placed", NULL},
    {"record", record_main, "start them with their ranks recorded", NULL},
    {"torchrun", torchrun_main, "PyTorch's, with nodes numbered as placed",
     NULL},
    {"map", map_main, "map a task graph onto the nodes of a network",
     "Analysis"},
    {"eval", eval_main, "how good mappings and mappers are, in one table",
     NULL},
    {"draw", draw_main, "matrix, network, nodes, profile or search: a picture",
     NULL},
    {"convert", convert_main, "graphs and mappings between other tools' files",
     NULL},
    {"topology", topology_main, "show and check the description of a network",
     NULL},
    {"tune", tune_main, "measure which task graph makes a program fastest",
     NULL},
    {"calibrate", calibrate_main, "measure how fast ranks reach each other",
     NULL},
    {"grid", grid_main, "rank orders, dimensions, nodes of a torus",
     "Grids and tori"},
    {"help", help_main, "this text, or that of a subcommand", "Help"},
};
enum {
    NCOMMANDS = sizeof(commands) / sizeof(*commands),
};

static const struct command *find_command(const char *name)
{
    for (size_t i = 0; i < NCOMMANDS; i++)
        if (strcmp(commands[i].name, name) == 0)
            return &commands[i];
    return NULL;
}

static int refuse_command(const char *typed)
{
    const char *nearest =
        text_nearest(typed, commands, NCOMMANDS, sizeof(*commands));

    return nearest ? tool_usage("",
                                "there is no subcommand '%s', did you mean "
                                "'%s'?",
                                typed, nearest)
                   : tool_usage("", "there is no subcommand '%s'", typed);
}

static int print_help(void)
{
    printf("usage: topomap SUBCOMMAND [OPTION]...\n\n"
           "Lays the ranks of an MPI job out so that those that talk much sit "
           "near each\nother in the network.\n\n");
    for (size_t i = 0; i < NCOMMANDS; i++) {
        if (commands[i].group)
            printf("%s%s\n", i > 0 ? "\n" : "", commands[i].group);
        printf("  %-10s%s\n", commands[i].name, commands[i].summary);
    }
    printf("  --version print the version\n\n"
           "'topomap SUBCOMMAND --help' has the options, topomap(1) and "
           "topomap-SUBCOMMAND(1)\nthe rest. Inside Slurm: "
           "srun --topomap=help.\n");
    return TOOL_OK;
}

/* For the shell's completion; a subcommand prints its own words. */
static int print_completion(void)
{
    for (size_t i = 0; i < NCOMMANDS; i++)
        printf("VERB %s\n", commands[i].name);
    printf("--help\n--version\n");
    return TOOL_OK;
}

static int help_main(int argc, char **argv, struct mapcore_error *err)
{
    const struct command *command;
    char option[] = "--help";
    char *help[3] = {NULL, option, NULL};

    if (argc < 2 || argv[1][0] == '-')
        return print_help();
    command = find_command(argv[1]);
    if (!command)
        return refuse_command(argv[1]);
    if (command->run == help_main)
        return print_help();
    help[0] = argv[1];
    return command->run(2, help, err);
}

/* A file that we open must never become stdin, stdout or stderr because the
 * caller had closed them. Reading or writing these then fails, as it should. */
static void hold_standard_files(void)
{
    int fd;

    do
        fd = open("/dev/null", O_RDONLY);
    while (fd >= 0 && fd <= STDERR_FILENO);
    if (fd > STDERR_FILENO)
        close(fd);
}

/* What stdio has lost on the way it does not tell; the pipe still knows. */
static bool reader_has_gone(void)
{
    struct pollfd out = {.fd = STDOUT_FILENO, .events = POLLOUT};

    return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

/* Runs it, and prints what failed. */
static int run(tool_command *command, int argc, char **argv)
{
    struct mapcore_error err;
    int error = command(argc, argv, &err);

    return error < 0 ? tool_fail("%s", err.text) : error;
}

/* Only now does the kernel tell of a full disk or a reader that has gone. The
 * latter wants no words: the process that closed the pipe knows. A failure has
 * had its line already. */
static int finish(int error)
{
    bool broken = ferror(stdout) != 0, gone = broken && reader_has_gone();

    errno = 0;
    if (fclose(stdout) != 0)
        broken = true;
    if (!broken || error != TOOL_OK)
        return error;
    if (errno != EPIPE && !gone)
        tool_fail("cannot write to stdout: %s",
                  strerror(errno != 0 ? errno : EIO));
    return TOOL_FAILED;
}

/* An error may come before the options are read: among those that follow. What
 * stands behind -- is another program's. */
static bool wants_json(int argc, char **argv)
{
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++)
        if (strcmp(argv[i], "--json") == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    const struct command *command;

    hold_standard_files();
    /* Writing then fails, is reported, and leaves nothing behind. */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    tool_errors_as_json(wants_json(argc, argv));
    /* topomap-mpi is a name of its own for srun. */
    if (argv[0] && strcmp(text_last_part(argv[0]), "topomap-mpi") == 0)
        return finish(run(mpi_main, argc, argv));
    if (argc < 2)
        return tool_usage("", "which subcommand?");
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0)
        return finish(print_help());
    if (strcmp(argv[1], "--complete") == 0)
        return finish(print_completion());
    if (strcmp(argv[1], "--version") == 0) {
        printf("topomap %s\n", PACKAGE_VERSION);
        return finish(TOOL_OK);
    }
    command = find_command(argv[1]);
    if (!command && argv[1][0] == '-')
        return tool_usage("", "unknown option %s", argv[1]);
    if (!command)
        return refuse_command(argv[1]);
    return finish(run(command->run, argc - 1, argv + 1));
}
