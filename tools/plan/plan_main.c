/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* plan_main.c - topomap plan: what srun --topomap=auto does, asked by srun
 * itself or by a person */
#include "config.h"

#include "tools/common/command_line.h"

#include "profiles/detached.h"
#include "tools/common/bounds.h"
#include "tools/inputs/graphs.h"
#include "tools/plan/parallel.h"
#include "tools/plan/plan_advice.h"
#include "tools/plan/plan_history.h"
#include "tools/plan/plan_options.h"
#include "tools/plan/planner/planner_earlier.h"
#include "tools/site/site.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

enum {
    LATE_S = 60, /* after any budget: srun waits no more */
};

static const struct option_row own_rows[] = {
    {OPTION_TAKES("parallel", "JOB", struct plan_options, job)},
    {OPTION_TAKES("step", "JOB.STEP", struct plan_options, step)},
    {OPTION_NAMED("learn", struct plan_options, learn)},
    {OPTION_NAMED("observe", struct plan_options, observe)},
    {OPTION_TAKES("mpi",
                  "TYPE",
                  struct plan_options,
                  planner.request.mpi_type)},
    {OPTION_NAMED("by-place", struct plan_options, by_place)},
    {OPTION_NAMED("cpus", struct plan_options, cpus)},
    {OPTION_TAKES("log", "WHERE", struct plan_options, log)},
    {OPTION_NAMED("site", struct plan_options, site), .lifts = true},
    {OPTION("env", "WHAT"),
     OPTION_WORD_INTO(struct plan_options, planner.request.env, plan_envs)},
    {OPTION_NAMED("no-cache", struct plan_options, planner.request.no_cache)},
    {.name = NULL},
};

static const struct option_row output_rows[] = {
    {OPTION("to", "FORM"),
     OPTION_WORD_INTO(struct plan_options, format, plan_formats),
     .shows_default = true},
    {OPTION_NAMED("json", struct plan_options, json)},
    {OPTION_NAMED("csv", struct plan_options, csv)},
    {OPTION_TAKES("output", "FILE", struct plan_options, output),
     .letter = 'o'},
    {OPTION_TAKES("write-graph", "FILE", struct plan_options, graph_file)},
    {OPTION_NAMED("advise", struct plan_options, advise)},
    {OPTION_TAKES("report", "FILE", struct plan_options, report)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "plan",
    .stops = true,
    .rest = offsetof(struct plan_options, command),
    .groups = {{plan_launch_rows, 0},
               {own_rows, 0},
               {plan_graph_rows,
                offsetof(struct plan_options, planner.request)},
               {timed_search_rows,
                offsetof(struct plan_options, planner.request.search)},
               {output_rows, 0}},
};

/* For topomap tune, which started srun, and has no other way to learn what srun
 * was answered. A file that cannot be written is tune's matter. */
static void leave_summary(const struct planner *planner)
{
    const char *path = getenv("TOPOMAP_PLAN_SUMMARY");
    struct tool_output output = {0};
    struct mapcore_error ignored;

    if (!path || *path == '\0' || tool_output_open(&output, path, &ignored) < 0)
        return;
    if (plan_print_all(planner, output.file) == 0)
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

    return graph ? graphs_write(graph, options->graph_file, err)
                 : error_set(err, MAPCORE_ENOENT,
                             "%s: there is no task graph: %s",
                             options->graph_file, options->planner.plan.reason);
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
    error = plan_print(&options->planner, options->format);
    if (error == 0 && (fflush(stdout) != 0 || ferror(stdout)))
        error = error_set(err, MAPCORE_EIO, "cannot write %.400s: %s",
                          options->output, strerror(errno));
    return error < 0 ? error : tool_output_commit(output, err);
}

/* For later launches, and for people. */
static void leave_traces(const struct planner *planner,
                         const struct plan_options *options,
                         bool is_alone)
{
    struct history_evaluation learnt;
    bool is_worth = planner_earlier_evaluate(&learnt, planner);

    planner_keep_network(planner);
    plan_history_leave(planner, options->step, options->log,
                       is_worth ? &learnt : NULL, options->cpus, is_alone);
    free(learnt.run);
}

/* Answered, srun does not wait for the history: nor do we make a process for
 * it, where this one can be that. False: it is still to be left. */
static bool answer_first(int *error, const struct plan_options *options)
{
    if (options->planner.answered_s <= 0) {
        if (!options->step || options->format != PLAN_WIRE || options->output ||
            options->graph_file || !detached_leave())
            return false;
        *error = plan_print(&options->planner, options->format);
        if (*error < 0 || fflush(stdout) != 0)
            return true;
        detached_let_go();
    }
    leave_traces(&options->planner, options, true);
    return true;
}

/* srun is always answered: what is an error to a person is to it a
 * reason to leave the launch alone. */
static int make_plan(struct plan_options *options, struct mapcore_error *err)
{
    struct planner *planner = &options->planner;
    const bool is_launch = options->format == PLAN_WIRE;
    int error;

    bounds_begin_reading(planner->request.start,
                         planner->request.search.time.s);
    error = plan_options_facts(options, err);
    if (error == 0)
        error = planner_run(planner);
    bounds_end_reading();
    if (error < 0 && (!is_launch || !planner_keep(planner, err->text)))
        return error;
    planner_remember(planner);
    if (planner->request.learn)
        planner_learn(planner);
    if (options->advise || options->format <= PLAN_JSON)
        plan_advise(planner);
    if (!is_launch || planner->answered_s > 0)
        return 0;
    if (options->step)
        planner_ask_nodes(planner);
    leave_summary(planner);
    if (options->report)
        plan_report_leave(planner, options->report);
    return 0;
}

static int plan(struct plan_options *options, struct mapcore_error *err)
{
    struct planner *planner = &options->planner;
    struct tool_output output = {0};
    int error =
        options->output ? tool_output_open(&output, options->output, err) : 0;

    if (error < 0)
        return error;
    if (options->format == PLAN_WIRE)
        end_with_srun(options);
    if (options->job) {
        planner->request.search_by = parallel_search;
        planner->request.search_arg = (void *)(uintptr_t)options->job;
    }
    planner->request.learn = options->learn ? options->step : NULL;
    if (options->observe && options->step && options->format == PLAN_WIRE)
        planner->request.answer = planner_observe;
    error = make_plan(options, err);
    if (error == 0 && answer_first(&error, options))
        return error;
    if (error == 0 && options->step)
        leave_traces(planner, options, false);
    if (error == 0)
        error = options->output ? print_into(&output, options, err)
                                : plan_print(planner, options->format);
    if (error == 0 && options->graph_file)
        error = write_graph(options, err);
    if (error == 0 && options->report && options->format != PLAN_WIRE)
        error = plan_report_write(planner, options->report, err);
    tool_output_abandon(&output);
    return error;
}

static int check_history(const struct plan_options *options)
{
    struct mapcore_error err;
    uint32_t job, step;

    if ((options->step &&
         plan_history_parse_step(&job, &step, options->step, &err) < 0) ||
        (options->log && site_check_log(options->log, &err) < 0))
        return tool_usage("plan", "%s", err.text);
    return TOOL_OK;
}

static void print_doubts(const struct site_file *site)
{
    char *doubts = site_rules_doubt(site, NULL), *state = NULL;

    for (char *doubt = doubts ? strtok_r(doubts, "\n", &state) : NULL; doubt;
         doubt = strtok_r(NULL, "\n", &state))
        tool_print("doubt %s\n", doubt);
    free(doubts);
}

static void print_rule(const struct site_rule *rule, const char *why)
{
    if (why)
        tool_print("decides %s\n", why);
    if (rule && !rule->place)
        tool_print("not-placed %s forbids it\n", why);
    if (rule && !rule->record)
        tool_print("not-recorded %s forbids it\n", why);
}

/* For srun, before it looks at the launch. */
static int print_site(const struct plan_options *options)
{
    const char *config = options->planner.request.config;
    const struct site_rule *rule = NULL;
    struct site_file *site = NULL;
    struct mapcore_error err;
    const char *by_default;
    char *off, *root, *why = NULL;
    double time_s;

    bounds_begin_reading(options->planner.request.start, LATE_S);
    if (site_read(&site, config, &err) < 0)
        tool_print("wrong %s\n", err.text);
    off = site_disabled(site, config);
    if (site)
        rule = site_rules_decide(&why, site, options->planner.request.partition,
                                 (const char *const *)options->command);
    bounds_end_reading();
    if (off) {
        tool_print("not-placed %s\n", off);
        tool_print("not-recorded %s\n", off);
        free(off);
    } else {
        print_rule(rule, why);
    }
    free(why);
    if (!site)
        return TOOL_OK;
    by_default = rule && rule->by_default ? rule->by_default : site->by_default;
    time_s = rule && rule->time_s > 0 ? rule->time_s : site->time_s;
    if (by_default)
        tool_print("default %s\n", by_default);
    if (time_s > 0)
        tool_print("time %.3f\n", time_s);
    if (site->time_auto_most_s > 0)
        tool_print("time-most %.3f\n", site->time_auto_most_s);
    if (site->mpi)
        tool_print("mpi %s\n", site->mpi);
    if ((root = site_root_word(site)))
        tool_print("root %s\n", root);
    free(root);
    if (site->profile_umask)
        tool_print("umask %s\n", site->profile_umask);
    print_doubts(site);
    site_close(site);
    return TOOL_OK;
}

int plan_main(int argc, char **argv, struct mapcore_error *err)
{
    struct plan_options options = {
        .planner.err = err,
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
        else if ((status = plan_options_check(&options, "plan")) == TOOL_OK &&
                 (status = check_history(&options)) == TOOL_OK)
            status = plan(&options, err);
    }
    planner_clear(&options.planner);
    return status;
}
