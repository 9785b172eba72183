/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* place_main.c - topomap place: a launcher other than srun, with its ranks
 * where topomap plan puts them */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/buffer.h"
#include "base/hosts.h"
#include "launch/plan_words.h"
#include "tools/common/bounds.h"
#include "tools/common/told.h"
#include "tools/place/batch_job.h"
#include "tools/place/launcher.h"
#include "tools/place/launcher_run.h"
#include "tools/place/rank_placement.h"
#include "tools/place/shell_words.h"
#include "tools/plan/launch_facts.h"
#include "tools/plan/plan_history.h"
#include "tools/plan/plan_options.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct place_options {
    struct plan_options plan; /* its rows of graph and search are ours */
    const char *hosts;
    enum launcher_kind launcher;
    bool binds, print, verbose, json, csv;
    char **command;
};

static const struct option_row rows[] = {
    {.name = "hosts",
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
    {.name = "print",
     OPTION_INTO(struct place_options, print),
     .help = "start nothing: print what would be done, for a shell"},
    {.name = "json",
     OPTION_INTO(struct place_options, json),
     .help = "with --print: as JSON, an object with placed, reason, job, "
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
    .about = "Starts COMMAND, an mpiexec, mpirun, flux run or jsrun, so that "
             "its ranks sit where topomap plan would put them. Where nothing "
             "is to be gained, or anything fails, COMMAND starts as it is.",
    .groups = {{rows, 0},
               {plan_graph_rows, offsetof(struct place_options, plan)},
               {timed_search_rows,
                offsetof(struct place_options, plan.planner.request.search)}},
};

struct placing {
    struct place_options *options;
    struct launcher_line line;
    struct batch_job job;
    struct launcher_files files;
    struct rank_placement placement;
    struct buffer reason; /* why the ranks are where they are */
};

/* Ranks of each node when nobody moves them: node after node is filled.
 * counts[nodes of the job]; *used: nodes that get any. */
static int fill_nodes(uint32_t *counts,
                      size_t *used,
                      uint32_t *ntasks,
                      const struct placing *p,
                      struct mapcore_error *err)
{
    const struct launcher_line *launcher = &p->line;
    uint64_t total = 0, left;

    *used = 0;
    for (size_t i = 0; i < p->job.node.n; i++) {
        counts[i] =
            launcher->per_node > 0 ? launcher->per_node : p->job.slots[i];
        total += counts[i];
    }
    *ntasks = launcher->ntasks;
    if (*ntasks == 0 && total <= INT32_MAX)
        *ntasks = (uint32_t)total;
    if (*ntasks == 0 || *ntasks > total)
        return error_set(err, MAPCORE_EINVAL,
                         "%s has %" PRIu64 " place%s for %" PRIu32 " ranks",
                         p->job.what, total, total == 1 ? "" : "s", *ntasks);
    left = *ntasks;
    for (size_t i = 0; i < p->job.node.n; i++) {
        counts[i] = counts[i] < left ? counts[i] : (uint32_t)left;
        left -= counts[i];
        if (counts[i] > 0)
            *used = i + 1;
    }
    return 0;
}

/* The launch as topomap plan is told it. */
static int make_facts(struct placing *p, struct mapcore_error *err)
{
    struct planner *planner = &p->options->plan.planner;
    char **program = p->line.word + p->line.program;
    uint32_t *counts = array_alloc(p->job.node.n, sizeof(*counts), err);
    struct buffer text = {0};
    char *nodelist = NULL;
    uint32_t ntasks;
    size_t used;
    int error = counts ? 0 : MAPCORE_ENOMEM;

    if (error == 0)
        error = fill_nodes(counts, &used, &ntasks, p, err);
    if (error == 0 && p->line.kind == LAUNCHER_FLUX &&
        (used < p->job.node.n ||
         (p->line.nodes > 0 && p->line.nodes != p->job.node.n)))
        error = error_set(err, MAPCORE_ENOTSUP,
                          "Flux itself chooses which of %zu nodes are used",
                          p->job.node.n);
    if (error == 0)
        error = hosts_compress(&nodelist, used,
                               (const char *const *)p->job.node.name, err);
    for (size_t i = 0; error == 0 && i < used; i++)
        error = buffer_printf(&text, err, "%s%" PRIu32, i > 0 ? "," : "",
                              counts[i]);
    if (error == 0)
        error = launch_facts_make(
            &planner->facts,
            planner->request.program ? planner->request.program : *program,
            ntasks, nodelist, text.bytes, NULL, err);
    if (error == 0 && *program && !planner->request.program)
        error = launch_facts_set_command(planner->facts,
                                         (const char *const *)program, err);
    planner->request.program = NULL;
    buffer_clear(&text);
    free(nodelist);
    free(counts);
    return error;
}

/* What speaks against moving these ranks at all. */
static int check(const struct placing *p, struct mapcore_error *err)
{
    const struct launcher_line *launcher = &p->line;
    const struct plan_request *request = &p->options->plan.planner.request;

    if (launcher->kind == LAUNCHER_SRUN)
        return error_set(err, MAPCORE_ENOTSUP,
                         "srun's ranks are placed by its own --topomap=auto");
    if (launcher->own)
        return error_set(err, MAPCORE_ENOTSUP,
                         "%s places ranks itself, by -%s%s", launcher->name,
                         strlen(launcher->own) > 1 ? "-" : "", launcher->own);
    if (launcher->has_several)
        return error_set(err, MAPCORE_ENOTSUP,
                         "%s starts several programs at once", launcher->name);
    if (launcher->program == launcher->n && !request->program &&
        !request->name && !planner_graph_is_file(request))
        return error_set(err, MAPCORE_ENOENT,
                         "no program behind the options of %s: --program says "
                         "it",
                         launcher->name);
    if (p->job.node.n == 0)
        return error_set(err, MAPCORE_ENOENT,
                         "no job of Flux, Slurm, PBS, LSF or OAR, and no "
                         "--hosts");
    return 0;
}

/* Hydra takes ranks of one node that are not consecutive for those of several:
 * they would not share memory. */
static void keep_nodes_whole(struct placing *p)
{
    struct constraints *constraints =
        &p->options->plan.planner.request.search.constraints;

    if ((p->line.kind == LAUNCHER_HYDRA || p->line.kind == LAUNCHER_INTEL) &&
        constraints->unit == 0)
        constraints->unit = UNIT_NODE;
}

static int find_all(struct placing *p, struct mapcore_error *err)
{
    const struct place_options *options = p->options;
    int error =
        launcher_line_read(&p->line, options->command, options->launcher, err);

    if (error == 0)
        error = batch_job_find(&p->job, options->hosts ? options->hosts : NULL,
                               err);
    if (error == 0 && p->job.node.n == 0 && p->line.hostfile) {
        batch_job_clear(&p->job);
        error = batch_job_find(&p->job, p->line.hostfile, err);
    }
    p->line.needs_nodes = options->hosts && !p->line.hostfile;
    if (error == 0 && p->line.kind == LAUNCHER_JSRUN && !options->hosts)
        error = batch_job_drop_launch_node(&p->job, err);
    if (error == 0)
        error = check(p, err);
    if (error == 0 && options->verbose)
        tool_note("%s: %zu node%s; %s is %s", p->job.what, p->job.node.n,
                  p->job.node.n == 1 ? "" : "s", options->command[0],
                  p->line.name);
    return error;
}

/* The catalogue's sentences tell users of srun what to do. */
static void take_reason(struct placing *p, const char *reason)
{
    static const char profile[] = "--topomap=profile";
    const char *at = strstr(reason, profile);
    size_t n = at ? (size_t)(at - reason) : strlen(reason);

    buffer_printf(&p->reason, NULL, "%.*s%s%s", (int)n, reason,
                  at ? "topomap record" : "", at ? at + strlen(profile) : "");
}

/* 0 with p->placement made, or with nothing made, for ranks are well as they
 * are. */
static int plan(struct placing *p, struct mapcore_error *err)
{
    struct planner *planner = &p->options->plan.planner;
    const char *name = rank_placement_file(p->line.kind, p->options->binds);
    const char *const *names;
    char here[] = ".";
    char *cwd = rank_placement_is_shared(p->line.kind) ? getcwd(NULL, 0) : NULL;
    const char *path = name;
    int error = make_facts(p, err);

    planner->request.ask_slurm = getenv("SLURM_JOB_ID") != NULL;
    if (error == 0)
        error = planner_run(planner, err);
    if (error == 0)
        planner_remember(planner);
    if (error == 0 && planner->plan.outcome == MAPCORE_PLAN_PLACED) {
        names = (const char *const *)planner->machine.hosts.name;
        if (name && !p->options->print) {
            error = launcher_files_make(
                &p->files,
                rank_placement_is_shared(p->line.kind) ? (cwd ? cwd : here)
                                                       : NULL,
                name, p->line.kind == LAUNCHER_PRRTE, err);
            path = p->files.path;
        }
        if (error == 0)
            error = rank_placement_make(
                &p->placement, &p->line,
                &(struct rank_request){&planner->plan, names, path,
                                       p->options->binds},
                err);
        if (error == 0 && p->files.path)
            error = launcher_files_write(&p->files, p->placement.text, err);
    }
    if (error == 0)
        take_reason(p, planner->plan.reason);
    free(cwd);
    return error;
}

/* Whether one of the text's lines is the word. */
static bool has_line(const char *text, const char *word, size_t n)
{
    while (strncmp(text, word, n) != 0 || text[n] != '\n') {
        if (!(text = strchr(text, '\n')))
            return false;
        text++;
    }
    return true;
}

/* A here-document, which ends at no name that stands in it: the shell would run
 * the names behind that. */
static void print_file(const char *name, const char *text)
{
    size_t n = strlen("END");
    char *end = calloc(strlen(text) + n + 1, 1);

    if (!end)
        return;
    for (memcpy(end, "END", n); has_line(text, end, n);)
        end[n++] = '_';
    printf("cat >%s <<'%s'\n%s%s\n", name, end, text, end);
    free(end);
}

/* A script that does it. */
static void print(const struct placing *p, char *const *command)
{
    const struct rank_placement *placement = &p->placement;

    if (placement->text)
        print_file(rank_placement_file(p->line.kind, p->options->binds),
                   placement->text);
    if (placement->variable[0])
        printf("env ");
    for (size_t i = 0; placement->variable[i]; i++) {
        shell_words_print_one(placement->variable[i]);
        putchar(' ');
    }
    shell_words_print(command);
}

/* The same for a program. */
static int print_json(const struct placing *p,
                      char *const *command,
                      struct mapcore_error *err)
{
    const struct rank_placement *placement = &p->placement;
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, p->options->csv ? TOLD_ONE_ROW : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_bool(writer, "placed",
                  placement->word[0] || placement->variable[0]);
    json_put_string(writer, "reason", p->reason.bytes);
    json_put_string(writer, "job", p->job.what);
    json_put_string(writer, "launcher",
                    p->line.name[0] != '\0' ? p->line.name : NULL);
    if (placement->text) {
        json_begin_object(writer, "file");
        json_put_string(writer, "name",
                        rank_placement_file(p->line.kind, p->options->binds));
        json_put_string(writer, "text", placement->text);
        json_end_object(writer);
    }
    json_begin_array(writer, "environment");
    for (size_t i = 0; placement->variable[i]; i++)
        json_put_string(writer, NULL, placement->variable[i]);
    json_end_array(writer);
    shell_words_put(writer, "command", command);
    json_end_object(writer);
    return told_end(&told, 0, err);
}

/* A job has no number for what mpiexec starts: ours is one. */
static int run(struct placing *p, char **command)
{
    const struct planner *planner = &p->options->plan.planner;
    const double began = tool_now();
    char step[32];
    int status;

    snprintf(step, sizeof(step), "%" PRIu32 ".%ld", p->job.number,
             (long)getpid());
    plan_history_leave(planner, step, NULL, NULL, false, false);
    status = launcher_wait(command, &p->files);
    plan_history_end(planner, step, tool_now() - began);
    return launcher_end_as(status);
}

static int start(struct placing *p)
{
    const bool is_placed = p->placement.word[0] || p->placement.variable[0];
    struct mapcore_error err;
    char **command = NULL;
    int status;

    if (rank_placement_command(&command, &p->line,
                               is_placed ? &p->placement : NULL, &err) < 0)
        return tool_fail("%s", err.text);
    if (p->options->json || p->options->csv) {
        status = print_json(p, command, &err) < 0 ? tool_fail("%s", err.text)
                                                  : TOOL_OK;
    } else if (p->options->print) {
        print(p, command);
        status = TOOL_OK;
    } else {
        for (size_t i = 0; p->placement.variable[i]; i++)
            putenv(p->placement.variable[i]);
        status = run(p, command);
    }
    free(command);
    return status;
}

static int place(struct place_options *options)
{
    struct placing p = {.options = options};
    struct mapcore_error err;
    int error, status;

    bounds_begin_reading(options->plan.planner.request.start,
                         options->plan.planner.request.search.time.s);
    error = find_all(&p, &err);
    if (error == 0) {
        keep_nodes_whole(&p);
        error = plan(&p, &err);
    }
    bounds_end_reading();
    if (error < 0) {
        buffer_clear(&p.reason);
        buffer_printf(&p.reason, NULL, "%s; the ranks are left where they are",
                      err.text);
        planner_keep(&options->plan.planner, p.reason.bytes);
        launcher_files_remove(&p.files);
        rank_placement_clear(&p.placement);
    }
    tool_note("%s", p.reason.bytes ? p.reason.bytes : "out of memory");
    if (!p.line.word) { /* it was not even asked what it is */
        p.line.word = options->command;
        while (p.line.word[p.line.n])
            p.line.n++;
    }
    status = start(&p);
    launcher_files_remove(&p.files);
    rank_placement_clear(&p.placement);
    batch_job_clear(&p.job);
    launcher_line_clear(&p.line);
    buffer_clear(&p.reason);
    return status;
}

int place_main(int argc, char **argv)
{
    struct place_options options = {
        .plan.planner.request =
            {
                .search = {SEARCH_DEFAULTS, .choose = MAPCORE_CHOOSE_AUTO},
                .start = tool_now(),
                .by_place = true,
            },
    };
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv)) {
        options.plan.planner.request.no_scale = options.plan.scale == SCALE_OFF;
        if (!*options.command)
            status = tool_usage("place", "COMMAND is missing");
        else if ((options.json || options.csv) && !options.print)
            status = tool_usage("place", "--%s is for --print",
                                options.json ? "json" : "csv");
        else
            status = place(&options);
    }
    planner_clear(&options.plan.planner);
    return status;
}
