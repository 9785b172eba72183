/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_main.c - topomap plan: what srun --topomap=auto does, asked by srun
 * itself or by a person */
#include "config.h"

#include "tools/common/command_line.h"

#include "launch/defaults.h"
#include "tools/common/bounds.h"
#include "tools/common/graphs.h"
#include "tools/plan/launch_facts.h"
#include "tools/plan/plan_print.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    MAX_TASKS = 1 << 24,
    LATE_S = 60, /* behind any budget: nobody waits any more */
};

struct plan_options {
    struct planner planner;
    const char *facts, *nodelist, *tasks_per_node, *baseline, *graph_file,
        *output;
    char **command; /* up to a NULL */
    uint32_t ntasks;
    enum plan_format format;
    enum plan_scale { SCALE_ON, SCALE_OFF } scale;
    bool json, site;
};

static const struct option_row launch_rows[] = {
    {.name = "program",
     .argument = "FILE",
     OPTION_INTO(struct plan_options, planner.request.program),
     .help =
         "the executable that srun starts; or all of its command behind --"},
    {.name = "ntasks",
     .was = "tasks",
     .argument = "N",
     OPTION_INTO(struct plan_options, ntasks),
     .min = 1,
     .max = MAX_TASKS,
     .required = true,
     .help = "ranks"},
    {.name = "nodelist",
     .argument = "NODES",
     OPTION_INTO(struct plan_options, nodelist),
     .required = true,
     .help = "nodes in Slurm's order: n[0-7]"},
    {.name = "tasks-per-node",
     .was = "slots",
     .argument = "COUNTS",
     OPTION_INTO(struct plan_options, tasks_per_node),
     .required = true,
     .help = "2, or one by one: 2(x3),1"},
    {.name = "baseline",
     .argument = "RUNS",
     OPTION_INTO(struct plan_options, baseline),
     .help = "node of each rank without topomap, from 0: 0..7,0..7 is cyclic "
             "on 8 nodes (default: block)"},
    {.name = "site",
     OPTION_INTO(struct plan_options, site),
     .lifts = true,
     .help = "none of these: only print what the site file says of default, "
             "time and mpi"},
    {.name = "facts",
     .argument = "FILE",
     OPTION_INTO(struct plan_options, facts),
     .lifts = true,
     .help = "all of these as srun says them; -: stdin"},
    {.name = NULL},
};

static const struct option_word scales[] = {
    {"on", SCALE_ON, NULL, false},
    {"off", SCALE_OFF, NULL, false},
    {NULL, 0, NULL, false},
};

static const struct option_row graph_rows[] = {
    {.name = "name",
     .argument = "NAME",
     OPTION_INTO(struct plan_options, planner.request.name),
     .help = "the profile filed under that name"},
    {.name = "graph",
     .argument = "NAME",
     OPTION_INTO(struct plan_options, planner.request.graph),
     .help =
         "a type of call (p2p, alltoall, ...), sum, weighted-sum, all or "
         "best; or a graph's file, FILE.graph or with a / in its path; or "
         "a pattern, grid:4x4x8:periodic, see mapcore-graph(5); or plan:FILE, "
         "which --to=file has written (default: "
         "best when topomap tune has measured, else weighted-sum)"},
    {.name = "from",
     .was = "graph-format",
     .argument = "FORMAT",
     OPTION_WORD_INTO(struct plan_options,
                      planner.request.graph_format,
                      graphs_formats),
     .help = "format of that file, where the file itself does not tell"},
    {.name = "scale",
     .argument = "on|off",
     OPTION_WORD_INTO(struct plan_options, scale, scales),
     .shows_default = true,
     .help = "predict the graph of a size that was not recorded from those "
             "that were"},
    {.name = "catalogue",
     .argument = "DIR",
     OPTION_INTO(struct plan_options, planner.request.catalogues),
     .help = "search there, too; may be repeated"},
    {.name = "config",
     .argument = "FILE",
     OPTION_INTO(struct plan_options, planner.request.config),
     .help = "the site file (default " TOPOMAP_SITEFILE ")"},
    {.name = "topology",
     .argument = "SPEC",
     OPTION_INTO(struct plan_options, planner.request.topology),
     .help = "torus:8x8x4, mesh:8x8, tree:8,16,8, flat:N, file"},
    {.name = "partition",
     .argument = "NAME",
     OPTION_INTO(struct plan_options, planner.request.partition),
     .help =
         "Slurm's partition, which may have a topology of its own (default: "
         "this job's)"},
    {.name = "node",
     .argument = "NODE",
     OPTION_INTO(struct plan_options, planner.request.node),
     .help = "what every node is inside: \"package:2 core:8\" (as hwloc says "
             "it) or a file of hwloc's XML"},
    {.name = "no-cache",
     OPTION_INTO(struct plan_options, planner.request.no_cache),
     .help = "search, even where the same step was planned before, and do not "
             "keep what is found"},
    {.name = "time",
     .argument = "SECONDS",
     OPTION_CALL_INTO(struct plan_options,
                      planner.request.search.time,
                      timed_search_take_time),
     .help =
         "bound on the whole plan (default: the site file's time_s, else " DEFAULTS_TEXT(
             DEFAULTS_SECONDS) "); auto: by the job's time, and until it gains "
                               "no more"},
    {.name = NULL},
};

/* In the order of enum plan_format. */
static const struct option_word formats[] = {
    {"text", PLAN_TEXT, NULL, false},
    {"json", PLAN_JSON, NULL, false},
    {"wire", PLAN_WIRE, "what srun reads", false},
    {"hostfile", PLAN_HOSTFILE, "SLURM_HOSTFILE", false},
    {"rankfile", PLAN_RANKFILE, "Open MPI", false},
    {"mpich", PLAN_MPICH, "MPICH_RANK_ORDER", false},
    {"file", PLAN_FILE, "srun --topomap=plan:FILE", false},
    {NULL, 0, NULL, false},
};

static const struct option_row output_rows[] = {
    {.name = "to",
     .was = "format",
     .argument = "FORM",
     OPTION_WORD_INTO(struct plan_options, format, formats),
     .shows_default = true,
     .help = "how the plan is printed"},
    {.name = "json",
     OPTION_INTO(struct plan_options, json),
     .help = "the same as --to=json"},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     OPTION_INTO(struct plan_options, output),
     .help = "write the plan there instead of to stdout"},
    {.name = "write-graph",
     .argument = "FILE",
     OPTION_INTO(struct plan_options, graph_file),
     .help = "write the task graph that was used there, as METIS reads it"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "plan",
    .forms = (const char *const[]){"--program FILE --ntasks N --nodelist NODES "
                                   "--tasks-per-node COUNTS [OPTION]...",
                                   "--ntasks N --nodelist NODES "
                                   "--tasks-per-node COUNTS [OPTION]... "
                                   "-- COMMAND [ARGUMENT]...",
                                   "--facts FILE [OPTION]...", NULL},
    .stops = true,
    .rest = offsetof(struct plan_options, command),
    .about = "Shows, outside Slurm, what srun --topomap=auto would do, and "
             "why.",
    .groups = {{launch_rows, 0},
               {graph_rows, 0},
               {timed_search_rows,
                offsetof(struct plan_options, planner.request.search)},
               {output_rows, 0}},
};

/* Either the facts or what they are made of. */
static int check_options(struct plan_options *options)
{
    struct planner *planner = &options->planner;

    if (options->json)
        options->format = PLAN_JSON;
    planner->request.no_scale = options->scale == SCALE_OFF;
    if (options->facts && (options->ntasks != 0 || options->nodelist ||
                           options->tasks_per_node || options->baseline))
        return tool_usage("plan", "--facts says --ntasks, --nodelist, "
                                  "--tasks-per-node and --baseline already");
    if (*options->command && (options->facts || planner->request.program))
        return tool_usage("plan", "--%s says already what '%s' would say",
                          options->facts ? "facts" : "program",
                          *options->command);
    if (!options->facts && !planner->request.program && !*options->command &&
        !planner->request.name && !planner_graph_is_file(&planner->request))
        return tool_usage("plan", "--program is missing");
    return TOOL_OK;
}

static int get_facts(struct plan_options *options, struct mapcore_error *err)
{
    struct planner *planner = &options->planner;
    int error;

    if (options->facts)
        return launch_facts_read(&planner->facts, options->facts, err);
    planner->request.ask_slurm = true;
    error = launch_facts_make(&planner->facts,
                              *options->command ? *options->command
                                                : planner->request.program,
                              options->ntasks, options->nodelist,
                              options->tasks_per_node, options->baseline, err);
    planner->request.program = NULL; /* found by PATH, it stands in the facts */
    if (error == 0 && *options->command)
        error = launch_facts_set_command(
            planner->facts, (const char *const *)options->command, err);
    return error;
}

/* For topomap tune, which started srun, and has no other way to learn what srun
 * was told. A file that cannot be written is tune's matter. */
static void leave_summary(const struct planner *planner)
{
    const char *path = getenv("TOPOMAP_PLAN_SUMMARY");
    struct tool_output output = {0};
    struct mapcore_error ignored;

    if (!path || *path == '\0' || tool_output_open(&output, path, &ignored) < 0)
        return;
    if (plan_print_summary(planner, output.file, &ignored) == 0)
        (void)tool_output_commit(&output, &ignored);
    tool_output_abandon(&output);
}

/* Nothing of a launch may outlive it: an srun that is killed cannot end us, and
 * a file system that hangs would keep us for ever. */
static void end_with_srun(struct plan_options *options)
{
    double seconds = options->planner.request.search.time.s + (double)LATE_S;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(seconds < INT32_MAX ? (unsigned)seconds : 0);
    bounds_set_memory(BOUNDS_MEMORY_MB);
    options->planner.request.bounds_memory = true;
}

static int write_graph(const struct plan_options *options,
                       struct mapcore_error *err)
{
    const struct mapcore_graph *graph = options->planner.graph.task_graph;
    struct tool_output output = {0};
    int error;

    if (!graph)
        return error_set(err, MAPCORE_ENOENT, "%s: there is no task graph: %s",
                         options->graph_file, options->planner.plan.reason);
    if ((error = tool_output_open(&output, options->graph_file, err)) == 0 &&
        (error = mapcore_graph_write_metis(graph, output.file, err)) == 0)
        error = tool_output_commit(&output, err);
    tool_output_abandon(&output);
    return error;
}

/* What prints a plan knows stdout alone: it is the file from here on. */
static int print_into(struct tool_output *output,
                      const struct plan_options *options,
                      struct mapcore_error *err)
{
    int error;

    if (fflush(stdout) != 0 ||
        dup2(fileno(output->file), STDOUT_FILENO) != STDOUT_FILENO)
        return error_set(err, MAPCORE_EIO, "cannot write %.400s: %s",
                         options->output, strerror(errno));
    error = plan_print(&options->planner, options->format, err);
    if (error == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        error = error_set(err, MAPCORE_EIO, "cannot write %.400s: %s",
                          options->output, strerror(errno));
    return error < 0 ? error : tool_output_commit(output, err);
}

/* srun is answered whatever happens: what a person would be told as an error
 * is to it a reason to leave the launch alone. */
static int plan(struct plan_options *options)
{
    struct planner *planner = &options->planner;
    struct tool_output output = {0};
    struct mapcore_error err;
    int error;

    if (options->output && tool_output_open(&output, options->output, &err) < 0)
        return tool_fail("%s", err.text);
    if (options->format == PLAN_WIRE)
        end_with_srun(options);
    bounds_begin_reading(planner->request.start,
                         planner->request.search.time.s);
    error = get_facts(options, &err);
    if (error == 0)
        error = planner_run(planner, &err);
    bounds_end_reading();
    if (error < 0 && options->format == PLAN_WIRE &&
        planner_keep(planner, err.text))
        error = 0;
    if (error == 0)
        planner_remember(planner);
    if (error == 0 && options->format == PLAN_WIRE)
        leave_summary(planner);
    if (error == 0)
        error = options->output ? print_into(&output, options, &err)
                                : plan_print(planner, options->format, &err);
    if (error == 0 && options->graph_file)
        error = write_graph(options, &err);
    tool_output_abandon(&output);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}

/* For srun, before there is a launch. */
static int print_site(const struct plan_options *options)
{
    struct site_file *site = NULL;
    struct mapcore_error err;

    bounds_begin_reading(options->planner.request.start, LATE_S);
    if (site_read(&site, options->planner.request.config, &err) < 0)
        return tool_fail("%s", err.text);
    bounds_end_reading();
    if (site_default(site))
        tool_print("default %s\n", site_default(site));
    if (site_time(site) > 0)
        tool_print("time %.3f\n", site_time(site));
    if (site_time_most(site) > 0)
        tool_print("time-most %.3f\n", site_time_most(site));
    if (site_mpi(site))
        tool_print("mpi %s\n", site_mpi(site));
    if (site_has_topology(site))
        tool_print("topology site\n");
    site_close(site);
    return TOOL_OK;
}

int plan_main(int argc, char **argv)
{
    struct plan_options options = {
        .planner.request =
            {
                .search = {SEARCH_DEFAULTS, .choose = MAPCORE_CHOOSE_AUTO},
                .start = tool_now(),
            },
    };
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv)) {
        if (options.site)
            status = print_site(&options);
        else if ((status = check_options(&options)) == TOOL_OK)
            status = plan(&options);
    }
    planner_clear(&options.planner);
    return status;
}
