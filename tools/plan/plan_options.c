/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_options.c - the options of who makes plans, and the launch that they
 * tell */
#include "config.h"

#include "tools/plan/plan_options.h"

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
                  planner.request.program)},
    {OPTION_TAKES("ntasks", "N", struct plan_options, ntasks), .min = 1,
     .max = MAX_TASKS, .required = true},
    {OPTION_TAKES("nodelist", "NODES", struct plan_options, nodelist),
     .required = true},
    {OPTION_TAKES("tasks-per-node",
                  "COUNTS",
                  struct plan_options,
                  tasks_per_node),
     .required = true},
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
    {OPTION_TAKES("name", "NAME", struct plan_request, name)},
    {OPTION_TAKES("graph", "NAME", struct plan_request, graph)},
    {OPTION("from", "FORMAT"),
     OPTION_WORD_INTO(struct plan_request, graph_format, graphs_formats)},
    {OPTION("scale", "on|off"),
     OPTION_WORD_INTO(struct plan_request, scale, scales),
     .shows_default = true},
    {OPTION_TAKES("catalogue", "DIR", struct plan_request, catalogues)},
    {OPTION_TAKES("site-catalogue",
                  "DIR",
                  struct plan_request,
                  site_catalogues)},
    {OPTION_TAKES("config", "FILE", struct plan_request, config)},
    {OPTION_TAKES("topology", "SPEC", struct plan_request, topology)},
    {OPTION_TAKES("partition", "NAME", struct plan_request, partition)},
    {OPTION_TAKES("node", "NODE", struct plan_request, node)},
    {OPTION_TAKES("mapper", "MAPPER", struct plan_request, mapper)},
    {OPTION("time", "SECONDS"), OPTION_CALL_INTO(struct plan_request,
                                                 search.time,
                                                 timed_search_take_time)},
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
