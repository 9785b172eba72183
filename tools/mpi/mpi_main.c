/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mpi_main.c - topomap-mpi: a plan made by all the processes of an MPI job */
#include "config.h"

#include "launch/defaults.h"
#include "tools/mpi/divided.h"
#include "tools/plan/plan_file.h"
#include "tools/plan/plan_options.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>

enum {
    SEARCHES = 16,
    MOST_SEARCHES = 1 << 16,
    MOST_THREADS = 64,
    LATE_S = 60, /* behind any budget: a process that hangs ends them all */
};

struct mpi_options {
    struct plan_options plan;
    uint32_t searches; /* 0: not said */
    double until;      /* seconds since 1970; 0: not said */
    const char *output, *mpi;
    bool found;
};

static const struct option_row search_rows[] = {
    {OPTION_TAKES("until", "SECONDS", struct mpi_options, until), .least = 0,
     .most = 1e12},
    {OPTION_TAKES("searches", "N", struct mpi_options, searches), .min = 1,
     .max = MOST_SEARCHES},
    {.name = NULL},
};

static const struct option_row output_rows[] = {
    {OPTION_TAKES("output", "FILE", struct mpi_options, output), .letter = 'o'},
    {OPTION("to", "FORM"),
     OPTION_WORD_INTO(struct mpi_options, plan.format, plan_formats),
     .shows_default = true},
    {OPTION_NAMED("json", struct mpi_options, plan.json)},
    {OPTION_NAMED("csv", struct mpi_options, plan.csv)},
    {OPTION_NAMED("found",
                  struct mpi_options,
                  found)}, /* topomap plan --parallel */
    {OPTION_TAKES("mpi", "MPI", struct mpi_options, mpi)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "-mpi",
    .stops = true,
    .rest = offsetof(struct mpi_options, plan.command),
    .groups = {{plan_launch_rows, offsetof(struct mpi_options, plan)},
               {plan_graph_rows,
                offsetof(struct mpi_options, plan.planner.request)},
               {timed_search_rows,
                offsetof(struct mpi_options, plan.planner.request.search)},
               {search_rows, 0},
               {output_rows, 0}},
};

/* The time ends where --until does; clocks that differ widely are not believed.
 */
static void take_until(struct mpi_options *options)
{
    struct timed_search_time *time = &options->plan.planner.request.search.time;
    struct timeval now;
    double left;

    if (options->until == 0)
        return;
    gettimeofday(&now, NULL);
    left = options->until - (double)now.tv_sec - (double)now.tv_usec / 1e6;
    if (time->s == 0 || left < time->s)
        time->s = left > SEARCH_TIME_LEAST ? left : SEARCH_TIME_LEAST;
}

static int write_plan(const struct planner *planner,
                      struct tool_output *output,
                      struct mapcore_error *err)
{
    char *text = NULL;
    int error = plan_file_format(&text, planner->facts, &planner->plan, err);

    if (error == 0) {
        fputs(text, output->file);
        error = tool_output_commit(output, err);
    }
    free(text);
    return error;
}

/* Nothing is an answer, too: then no process has found anything. */
static int print_found(const struct planner *planner,
                       const struct divided *divided,
                       struct mapcore_error *err)
{
    const struct found_query query = planner_found_query(planner);
    char *text = NULL;
    int error = 0;

    if (divided->has_best)
        error = found_format(&text, &query, &planner->result, err);
    if (text)
        printf("seed %" PRIu64 "\n%s", planner->parameters.seed, text);
    free(text);
    return error;
}

/* Process 0 says what came of it. */
static int report(const struct mpi_options *options,
                  const struct divided *divided,
                  struct tool_output *output,
                  struct mapcore_error *err)
{
    const struct planner *planner = &options->plan.planner;
    int error = 0;

    if (options->found)
        return print_found(planner, divided, err);
    if (divided->other > 0)
        tool_note(
            "%u of %d processes could not search, or had another graph or network",
            divided->other, divided->peers->size);
    if (options->output)
        error = write_plan(planner, output, err);
    if (error == 0 && options->plan.format == PLAN_TEXT && divided->has_best)
        tool_print("searches    %u of seeds %" PRIu64 " to %" PRIu64
                   " by %d process%s, the best with seed %" PRIu64 "\n",
                   divided->made, divided->first,
                   divided->first + divided->n - 1, divided->peers->size,
                   divided->peers->size == 1 ? "" : "es",
                   divided->first + divided->best);
    if (error == 0 && options->plan.format == PLAN_TEXT && options->output)
        tool_print("outcome     %s: %s\n",
                   outcome_word(outcome_of_plan(planner->plan.outcome)),
                   planner->plan.reason);
    else if (error == 0)
        error = plan_print(planner, options->plan.format);
    return error;
}

/* Every process makes the plan up to its search, in which they meet. */
static int plan(struct mpi_options *options,
                struct divided *divided,
                struct mapcore_error *err)
{
    struct planner *planner = &options->plan.planner;
    bool is_first = divided->peers->rank == 0;
    struct tool_output output = {0};
    int error = 0;

    /* Before the search, which a mistyped name would waste. */
    if (is_first && options->output)
        error = tool_output_open(&output, options->output, err);
    planner->request.search_by = divided_search;
    planner->request.search_arg = divided;
    planner->request.no_cache = true;
    if (error == 0 && divided_has_any(divided)) {
        error = plan_options_facts(&options->plan, err);
        if (error == 0)
            error = planner_run(planner);
    }
    if (!divided->is_done)
        divided_pass(divided);
    if (error == 0 && is_first)
        error = report(options, divided, &output, err);
    tool_output_abandon(&output);
    if (error < 0 && is_first)
        return error;
    /* The others are none the worse. */
    if (error < 0)
        tool_note("process %d: %s", divided->peers->rank, err->text);
    return TOOL_OK;
}

static int run(struct mpi_options *options, struct mapcore_error *err)
{
    struct timed_search_options *search = &options->plan.planner.request.search;
    struct peers peers;
    int status;

    if (search->threads == 0)
        search->threads = tool_cpus(MOST_THREADS);
    take_until(options);
    if (search->work == 0 || search->time.s > 0)
        alarm((unsigned)(search->time.s > 0 ? fmin(search->time.s, 1e6)
                                            : DEFAULTS_SECONDS_MOST) +
              LATE_S);
    if ((status = peers_begin(&peers, options->mpi, err)) < 0) {
        status = peers.rank == 0 ? status : TOOL_FAILED;
    } else {
        struct divided divided = {
            .peers = &peers,
            .first = search->seed,
            .n = options->searches       ? options->searches
                 : peers.size > SEARCHES ? (uint32_t)peers.size
                                         : SEARCHES,
        };

        status = plan(options, &divided, err);
    }
    peers_end(&peers);
    return status;
}

int mpi_main(int argc, char **argv, struct mapcore_error *err)
{
    struct mpi_options options = {
        .plan.planner.err = err,
        .plan.planner.request =
            {
                .search = {SEARCH_DEFAULTS, .choose = MAPCORE_CHOOSE_AUTO},
                .start = tool_now(),
            },
    };
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv) &&
        (status = plan_options_check(&options.plan, "-mpi")) == TOOL_OK)
        status = options.plan.planner.request.search.seed >
                         UINT64_MAX - MOST_SEARCHES
                     ? tool_usage("-mpi", "--seed: too large to count on from")
                     : run(&options, err);
    planner_clear(&options.plan.planner);
    return status;
}
