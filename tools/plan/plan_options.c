/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_options.c - the options of who makes plans, and the launch that they
 * tell */
#include "config.h"

#include "tools/plan/plan_options.h"

#include "launch/defaults.h"
#include "tools/inputs/graphs.h"
#include "tools/plan/launch_facts.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_TASKS = 1 << 24,
};

const struct option_row plan_launch_rows[] = {
    {OPTION_TAKES("program",
                  "FILE",
                  struct plan_options,
                  planner.request.program),
     .help =
         "the executable that srun starts; or all of its command behind --"},
    {OPTION_TAKES("ntasks", "N", struct plan_options, ntasks), .min = 1,
     .max = MAX_TASKS, .required = true, .help = "ranks"},
    {OPTION_TAKES("nodelist", "NODES", struct plan_options, nodelist),
     .required = true, .help = "nodes in Slurm's order: n[0-7]"},
    {OPTION_TAKES("tasks-per-node",
                  "COUNTS",
                  struct plan_options,
                  tasks_per_node),
     .required = true, .help = "2, or one by one: 2(x3),1"},
    {OPTION_TAKES("baseline", "RUNS", struct plan_options, baseline)},
    {OPTION_TAKES("facts", "FILE", struct plan_options, facts), .lifts = true},
    {.name = NULL},
};

static const struct option_word scales[] = {
    {"on", SCALE_ON, NULL, false},
    {"off", SCALE_OFF, NULL, false},
    {NULL, 0, NULL, false},
};

const struct option_row plan_graph_rows[] = {
    {OPTION_TAKES("name", "NAME", struct plan_options, planner.request.name),
     .help = "the profile filed under that name, or of the program of that "
             "name"},
    {OPTION_TAKES("graph", "NAME", struct plan_options, planner.request.graph),
     .help =
         "a type of call (p2p, alltoall, ...), sum, weighted-sum, all or "
         "best; or a graph's file, FILE.graph or with a / in its path; or "
         "a pattern, grid:4x4x8:periodic, see mapcore-graph(5); or plan:FILE, "
         "which --to=file has written (default: "
         "best when topomap tune has measured, else weighted-sum)"},
    {OPTION("from", "FORMAT"),
     OPTION_WORD_INTO(struct plan_options,
                      planner.request.graph_format,
                      graphs_formats),
     .help = "format of that file, where the file itself does not tell"},
    {OPTION("scale", "on|off"),
     OPTION_WORD_INTO(struct plan_options, scale, scales),
     .shows_default = true,
     .help = "predict the graph of a size that was not recorded from those "
             "that were"},
    {OPTION_TAKES("catalogue",
                  "DIR",
                  struct plan_options,
                  planner.request.catalogues),
     .help = "search there, too; may be repeated"},
    {OPTION_TAKES("site-catalogue",
                  "DIR",
                  struct plan_options,
                  planner.request.site_catalogues)},
    {OPTION_TAKES("config",
                  "FILE",
                  struct plan_options,
                  planner.request.config),
     .help = "the site file (default " TOPOMAP_SITEFILE ")"},
    {OPTION_TAKES("topology",
                  "SPEC",
                  struct plan_options,
                  planner.request.topology),
     .help = "torus:8x8x4, mesh:8x8, tree:8,16,8, flat:N, file"},
    {OPTION_TAKES("partition",
                  "NAME",
                  struct plan_options,
                  planner.request.partition),
     .help =
         "Slurm's partition, which may have a topology of its own (default: "
         "this job's)"},
    {OPTION_TAKES("node", "NODE", struct plan_options, planner.request.node),
     .help = "what every node is inside: \"package:2 core:8\" (as hwloc says "
             "it) or a file of hwloc's XML"},
    {OPTION_TAKES("mapper",
                  "MAPPER",
                  struct plan_options,
                  planner.request.mapper),
     .help = "one mapper (topomap map --list) instead of the portfolio"},
    {OPTION("time", "SECONDS"),
     OPTION_CALL_INTO(struct plan_options,
                      planner.request.search.time,
                      timed_search_take_time),
     .help =
         "bound on the whole plan (default: the site file's time_s, else " DEFAULTS_TEXT(
             DEFAULTS_SECONDS) "); auto: by the job's time, and until it gains "
                               "no more"},
    {.name = NULL},
};

/* In the order of enum plan_env. */
const struct option_word plan_envs[] = {
    {"auto", PLAN_ENV_AUTO, NULL, false},
    {"nodes", PLAN_ENV_NODES, NULL, false},
    {"off", PLAN_ENV_OFF, NULL, false},
    {NULL, 0, NULL, false},
};

/* In the order of enum plan_format. */
const struct option_word plan_formats[] = {
    {"text", PLAN_TEXT, NULL, false},
    {"json", PLAN_JSON, NULL, false},
    {"csv", PLAN_CSV, "one line", false},
    {"wire", PLAN_WIRE, NULL, true},
    {"hostfile", PLAN_HOSTFILE, "SLURM_HOSTFILE", false},
    {"rankfile", PLAN_RANKFILE, "Open MPI", false},
    {"mpich", PLAN_MPICH, "MPICH_RANK_ORDER", false},
    {"file", PLAN_FILE, "srun --topomap=plan:FILE", false},
    {NULL, 0, NULL, false},
};

/* Either the facts or what they are made of. */
int plan_options_check(struct plan_options *options, const char *command)
{
    struct planner *planner = &options->planner;

    if (options->json)
        options->format = PLAN_JSON;
    if (options->csv)
        options->format = PLAN_CSV;
    planner->request.no_scale = options->scale == SCALE_OFF;
    timed_search_settle_choice(&planner->request.search,
                               planner->request.mapper);
    if (options->facts && (options->ntasks != 0 || options->nodelist ||
                           options->tasks_per_node || options->baseline))
        return tool_usage(command, "--facts says --ntasks, --nodelist, "
                                   "--tasks-per-node and --baseline already");
    if (*options->command && (options->facts || planner->request.program))
        return tool_usage(command, "--%s says already what '%s' would say",
                          options->facts ? "facts" : "program",
                          *options->command);
    if (!options->facts && !planner->request.program && !*options->command &&
        !planner->request.name && !planner_graph_is_file(&planner->request))
        return tool_usage(command, "--program is missing");
    return TOOL_OK;
}

int plan_options_facts(struct plan_options *options, struct mapcore_error *err)
{
    struct launch_words words;
    struct planner *planner = &options->planner;
    int error;

    if (options->facts) {
        error = launch_facts_read(&planner->facts, options->facts, err);
        /* A person repeats a launch: no srun listens. */
        if (error == 0 && planner->facts->on_request)
            planner->request.ask_slurm = options->format != PLAN_WIRE ||
                                         strcmp(options->facts, "-") != 0;
        return error;
    }
    planner->request.by_place = options->by_place;
    planner->request.ask_slurm =
        !options->by_place || getenv("SLURM_JOB_ID") != NULL;
    words = (struct launch_words){.program = *options->command
                                                 ? *options->command
                                                 : planner->request.program,
                                  .ntasks = options->ntasks,
                                  .nodelist = options->nodelist,
                                  .tasks_per_node = options->tasks_per_node,
                                  .baseline = options->baseline};
    planner->request.is_block = !options->baseline;
    error = launch_facts_make(&planner->facts, &words, err);
    planner->request.program = NULL; /* found by PATH, it stands in the facts */
    if (error == 0 && *options->command)
        error = launch_facts_set_command(
            planner->facts, (const char *const *)options->command, err);
    return error;
}
