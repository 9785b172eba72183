/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_main.c - topomap plan: what srun --topomap=auto does, asked by srun
 * itself or by a person */
#include "config.h"

#include "tools/tool.h"

#include "tools/plan/launch_facts.h"
#include "tools/plan/plan_print.h"

#include <getopt.h>
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

static const char help[] =
    "usage: topomap plan --program FILE --ntasks N --nodelist HOSTS\n"
    "                    --tasks-per-node COUNTS [OPTION]...\n"
    "       topomap plan --facts FILE [OPTION]...\n\n"
    "Shows, outside Slurm, what srun --topomap=auto would do, and why.\n\n"
    "  --program FILE         the executable that srun starts\n"
    "  --ntasks N             ranks\n"
    "  --nodelist HOSTS       nodes in Slurm's order: n[0-7]\n"
    "  --tasks-per-node COUNTS  2, or one by one: 2(x3),1\n"
    "  --baseline RUNS        node of each rank without topomap, from 0: 0..7,"
    "0..7\n"
    "                         is cyclic on 8 nodes (default: block)\n"
    "  --facts FILE           all of these as srun says them; -: stdin\n"
    "  --name NAME            the profile filed under that name\n"
    "  --graph NAME           a type of call (p2p, alltoall, ...), sum,\n"
    "                         weighted-sum, all or best; or a graph's\n"
    "                         file, FILE.graph or with a / in its path; or\n"
    "                         grid:4x4x8[:periodic][:weights=1/1/2]\n"
    "                         [:order=last|first][:stencil=star|box]\n"
    "                         (default: best when topomap tune has measured, "
    "else\n"
    "                         weighted-sum)\n"
    "  --graph-format FORMAT  of that file: metis, scotch, mtx or edges, where "
    "the\n"
    "                         file itself does not tell\n"
    "  --scale on|off         predict the graph of a size that was not "
    "recorded\n"
    "                         from those that were (default on)\n"
    "  --catalogue DIR        search there, too; may be repeated\n"
    "  --config FILE          the site file (default " TOPOMAP_SITEFILE ")\n"
    "  --topology SPEC        torus:8x8x4, mesh:8x8, tree:8,16,8, flat:N, file\n"
    "  --node NODE            what every node is inside: \"package:2 core:8\" "
    "(as\n"
    "                         hwloc says it) or a file of hwloc's XML\n"
    "  --time SECONDS         bound on the whole plan (default 2)\n"
    "  --work N               bound on the search, in units of work\n"
    "  --choose WHAT          auto (default), pareto, hop-bytes or link\n"
    "  --alpha A              for pareto (default 1.05)\n"
    "  --seed N, --threads N  default 1, and the CPUs of this process, at most "
    "8\n"
    "  --format FORM          text (default), json, wire (what srun reads),\n"
    "                         hostfile (SLURM_HOSTFILE), rankfile (Open MPI),\n"
    "                         mpich (MPICH_RANK_ORDER)\n"
    "  --json                 the same as --format=json\n"
    "  --write-graph FILE     write the task graph that was used there, as "
    "METIS\n"
    "                         reads it\n";

struct plan_options {
    struct planner planner;
    const char *facts, *nodelist, *tasks_per_node, *baseline, *graph_file;
    uint64_t ntasks;
    enum plan_format format;
    bool help;
};

enum {
    OPTION_PROGRAM = 1,
    OPTION_NTASKS,
    OPTION_NODELIST,
    OPTION_TASKS_PER_NODE,
    OPTION_BASELINE,
    OPTION_FACTS,
    OPTION_NAME,
    OPTION_GRAPH,
    OPTION_GRAPH_FORMAT,
    OPTION_SCALE,
    OPTION_CATALOGUE,
    OPTION_CONFIG,
    OPTION_TOPOLOGY,
    OPTION_NODE,
    OPTION_FORMAT,
    OPTION_JSON,
    OPTION_WRITE_GRAPH,
};
static const struct option longs[] = {
    {"program", required_argument, NULL, OPTION_PROGRAM},
    {"ntasks", required_argument, NULL, OPTION_NTASKS},
    {"nodelist", required_argument, NULL, OPTION_NODELIST},
    {"tasks-per-node", required_argument, NULL, OPTION_TASKS_PER_NODE},
    {"baseline", required_argument, NULL, OPTION_BASELINE},
    {"facts", required_argument, NULL, OPTION_FACTS},
    {"name", required_argument, NULL, OPTION_NAME},
    {"graph", required_argument, NULL, OPTION_GRAPH},
    {"graph-format", required_argument, NULL, OPTION_GRAPH_FORMAT},
    {"scale", required_argument, NULL, OPTION_SCALE},
    {"catalogue", required_argument, NULL, OPTION_CATALOGUE},
    {"config", required_argument, NULL, OPTION_CONFIG},
    {"topology", required_argument, NULL, OPTION_TOPOLOGY},
    {"node", required_argument, NULL, OPTION_NODE},
    {"format", required_argument, NULL, OPTION_FORMAT},
    {"write-graph", required_argument, NULL, OPTION_WRITE_GRAPH},
    {"json", no_argument, NULL, OPTION_JSON},
    SEARCH_LONG_OPTIONS,
    {"help", no_argument, NULL, 'h'},
    {NULL, 0, NULL, 0},
};

static int take_format(enum plan_format *out, const char *name)
{
    static const char *const names[] = {"text",     "json",     "wire",
                                        "hostfile", "rankfile", "mpich"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strcmp(names[i], name) == 0) {
            *out = (enum plan_format)i;
            return TOOL_OK;
        }
    return tool_usage("plan",
                      "--format wants text, json, wire, hostfile, rankfile or "
                      "mpich, not '%s'",
                      name);
}

static int take_option(struct plan_options *out, int c)
{
    struct planner *planner = &out->planner;
    struct mapcore_error err;

    switch (c) {
    case OPTION_PROGRAM:
        planner->program = optarg;
        return TOOL_OK;
    case OPTION_NTASKS:
        return tool_take_u64("plan", "--ntasks", optarg, 1, MAX_TASKS,
                             &out->ntasks)
                   ? TOOL_OK
                   : TOOL_USAGE;
    case OPTION_NODELIST:
        out->nodelist = optarg;
        return TOOL_OK;
    case OPTION_TASKS_PER_NODE:
        out->tasks_per_node = optarg;
        return TOOL_OK;
    case OPTION_BASELINE:
        out->baseline = optarg;
        return TOOL_OK;
    case OPTION_FACTS:
        out->facts = optarg;
        return TOOL_OK;
    case OPTION_NAME:
        planner->name = optarg;
        return TOOL_OK;
    case OPTION_GRAPH:
        planner->graph = optarg;
        return TOOL_OK;
    case OPTION_GRAPH_FORMAT:
        if (mapcore_graph_format_find(&planner->graph_format, optarg, &err) < 0)
            return tool_usage("plan", "--graph-format: %s", err.text);
        return TOOL_OK;
    case OPTION_SCALE:
        planner->no_scale = strcmp(optarg, "off") == 0;
        return planner->no_scale || strcmp(optarg, "on") == 0
                   ? TOOL_OK
                   : tool_usage("plan", "--scale wants on or off, not '%s'",
                                optarg);
    case OPTION_CATALOGUE:
        if (tool_list_add(&planner->catalogues, optarg, &err) < 0)
            return tool_fail("%s", err.text);
        return TOOL_OK;
    case OPTION_CONFIG:
        planner->config = optarg;
        return TOOL_OK;
    case OPTION_TOPOLOGY:
        planner->topology = optarg;
        return TOOL_OK;
    case OPTION_NODE:
        planner->node = optarg;
        return TOOL_OK;
    case OPTION_FORMAT:
        return take_format(&out->format, optarg);
    case OPTION_WRITE_GRAPH:
        out->graph_file = optarg;
        return TOOL_OK;
    case OPTION_JSON:
        out->format = PLAN_JSON;
        return TOOL_OK;
    case 'h':
        out->help = true;
        return TOOL_OK;
    default:
        return search_take_option(&planner->search, "plan", c, optarg)
                   ? TOOL_OK
                   : TOOL_USAGE;
    }
}

/* Either the facts or what they are made of. */
static int check_options(const struct plan_options *options)
{
    const struct planner *planner = &options->planner;

    if (options->facts) {
        if (options->ntasks != 0 || options->nodelist ||
            options->tasks_per_node || options->baseline)
            return tool_usage("plan",
                              "--facts says --ntasks, --nodelist, "
                              "--tasks-per-node and --baseline already");
        return TOOL_OK;
    }
    if (!planner->program && !planner->name && !planner_graph_is_file(planner))
        return tool_usage("plan", "--program is missing");
    if (options->ntasks == 0)
        return tool_usage("plan", "--ntasks is missing");
    if (!options->nodelist)
        return tool_usage("plan", "--nodelist is missing");
    if (!options->tasks_per_node)
        return tool_usage("plan", "--tasks-per-node is missing");
    return TOOL_OK;
}

static int parse_options(struct plan_options *out, int argc, char **argv)
{
    int c, error = TOOL_OK;

    opterr = 0;
    while (error == TOOL_OK && !out->help &&
           (c = getopt_long(argc, argv, ":h", longs, NULL)) != -1)
        error = c == '?' || c == ':' ? tool_usage_getopt("plan", c, argv)
                                     : take_option(out, c);
    if (error != TOOL_OK || out->help)
        return error;
    if (optind < argc)
        return tool_usage("plan", "'%s' is no option", argv[optind]);
    return check_options(out);
}

static int get_facts(struct plan_options *options, struct mapcore_error *err)
{
    struct planner *planner = &options->planner;
    int error;

    if (options->facts)
        return launch_facts_read(&planner->facts, options->facts, err);
    planner->ask_slurm = true;
    error = launch_facts_make(&planner->facts, planner->program,
                              (uint32_t)options->ntasks, options->nodelist,
                              options->tasks_per_node, options->baseline, err);
    planner->program = NULL; /* found by PATH, it stands in the facts */
    return error;
}

/* For topomap tune, which started srun, and has no other way to learn what srun
 * was told. A file that cannot be written is tune's matter. */
static void leave_summary(const struct planner *planner)
{
    const char *path = getenv("TOPOMAP_PLAN_SUMMARY");
    struct mapcore_error ignored;
    FILE *file;

    if (!path || *path == '\0' || !(file = fopen(path, "we")))
        return;
    (void)plan_print_summary(planner, file, &ignored);
    fclose(file);
}

/* Nothing of a launch may outlive it: an srun that is killed cannot end us, and
 * a file system that hangs would keep us for ever. */
static void end_with_srun(const struct plan_options *options)
{
    double seconds = options->planner.search.time_s + LATE_S;

    prctl(PR_SET_PDEATHSIG, SIGKILL);
    alarm(seconds < INT32_MAX ? (unsigned)seconds : 0);
}

static int write_graph(const struct plan_options *options,
                       struct mapcore_error *err)
{
    const struct mapcore_graph *graph = options->planner.task_graph;
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

/* srun is answered whatever happens: what a person would be told as an error
 * is to it a reason to leave the launch alone. */
static int plan(struct plan_options *options)
{
    struct planner *planner = &options->planner;
    struct mapcore_error err;
    int error;

    if (options->format == PLAN_WIRE)
        end_with_srun(options);
    error = get_facts(options, &err);
    if (error == 0)
        error = planner_run(planner, &err);
    if (error < 0 && options->format == PLAN_WIRE &&
        planner_keep(planner, err.text))
        error = 0;
    if (error == 0 && options->format == PLAN_WIRE)
        leave_summary(planner);
    if (error == 0)
        error = plan_print(planner, options->format, &err);
    if (error == 0 && options->graph_file)
        error = write_graph(options, &err);
    return error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}

int plan_main(int argc, char **argv)
{
    struct plan_options options = {
        .planner =
            {
                .search = {.choose = MAPCORE_CHOOSE_AUTO},
                .start = tool_now(),
            },
    };
    int error = parse_options(&options, argc, argv);

    if (error == TOOL_OK && options.help)
        fputs(help, stdout);
    else if (error == TOOL_OK)
        error = plan(&options);
    planner_clear(&options.planner);
    return error;
}
