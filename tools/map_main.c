/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map_main.c - topomap map: a mapping for a graph on a network */
#include "config.h"

#include "launch/defaults.h"
#include "tools/common/bounds.h"
#include "tools/common/command_line.h"
#include "tools/inputs/inputs.h"
#include "tools/map_report.h"
#include "tools/search/guard.h"
#include "tools/search/timed_search.h"
#include "tools/table/answer.h"

#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

static const double DEFAULT_SECONDS = 10.0;
enum {
    MAX_THREADS = 64,
};

struct map_options {
    struct inputs inputs;
    struct timed_search_options search;
    const char *mapper;
    const char *output;
    struct answer_form form;
    bool list;
};

static const struct option_row operands[] = {
    {OPTION_NAMED("GRAPH", struct map_options, inputs.source.path),
     .required = true},
    {.name = NULL},
};

static const struct option_row rows[] = {
    {OPTION_TAKES("mapper", "MAPPER", struct map_options, mapper)},
    {OPTION("time", "SECONDS"),
     OPTION_CALL_INTO(struct map_options, search.time, timed_search_take_time)},
    {.name = NULL},
};

static const struct option_row output_rows[] = {
    {OPTION_TAKES("output", "FILE", struct map_options, output), .letter = 'o'},
    {OPTION_NAMED("json", struct map_options, form.json)},
    {OPTION_NAMED("csv", struct map_options, form.csv)},
    {OPTION_NAMED("list", struct map_options, list), .lifts = true},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "map",
    .operands = operands,
    .groups = {{inputs_rows, offsetof(struct map_options, inputs)},
               {graphs_rows, offsetof(struct map_options, inputs.source)},
               {rows, 0},
               {timed_search_rows, offsetof(struct map_options, search)},
               {output_rows, 0}},
};

static int check_options(const struct map_options *options)
{
    if (options->list && options->inputs.source.path)
        return tool_usage("map", "--list takes no graph");
    if (!options->list && answer_word(&options->form) &&
        (!options->output || strcmp(options->output, "-") == 0))
        return tool_usage("map",
                          "--%s needs -o FILE: the report goes to stdout",
                          answer_word(&options->form));
    return TOOL_OK;
}

static int list_mappers(const struct map_options *options,
                        struct mapcore_error *err)
{
    struct mapcore_mapper mapper;
    struct answer answer;
    struct json_writer *writer;

    writer =
        answer_open(&answer, stdout, &options->form, "mappers", ANSWER_ONE_ROW);
    json_begin_array(writer, NULL);
    for (size_t i = 0; mapcore_mapper_get(&mapper, i); i++) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "name", mapper.name);
        json_put_string(writer, "summary", mapper.summary);
        json_put_string(writer, "source", mapper.source);
        json_end_object(writer);
    }
    return answer_end(&answer, 0, err);
}

/* What was done, so that a file says where it comes from, and how to get it
 * again. */
static void write_header(FILE *file,
                         const struct mapcore_result *result,
                         const struct mapcore_search *search)
{
    char schedule[SEARCH_SCHEDULE_TEXT], mapper[SEARCH_MAPPER_TEXT];

    timed_search_print_schedule(schedule, &result->schedule);
    timed_search_print_mapper(mapper, result);
    fprintf(file,
            "# topomap map: %s, seed %" PRIu64 ", work %" PRIu64 "%s%s%s\n"
            "# hops per byte %.6g -> %.6g\n",
            mapper, search->seed, result->work,
            schedule[0] != '\0' ? ", schedule " : "", schedule,
            result->interrupted ? " (interrupted)" : "",
            result->baseline.hops_per_byte, result->metrics.hops_per_byte);
    if (search->node)
        fprintf(file, "# inside hops per byte %.6g -> %.6g\n",
                result->baseline_inside.inside_hops_per_byte,
                result->inside.inside_hops_per_byte);
}

/* A report that cannot be printed leaves the mapping: it is good. */
static int write_report(const struct inputs *inputs,
                        const struct mapcore_result *result,
                        const struct mapcore_search *search,
                        double seconds,
                        const struct answer_form *form,
                        struct mapcore_error *err)
{
    char schedule[SEARCH_SCHEDULE_TEXT], mapper[SEARCH_MAPPER_TEXT];
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, form, NULL, ANSWER_ONE_ROW);

    timed_search_print_schedule(schedule, &result->schedule);
    timed_search_print_mapper(mapper, result);
    report_json(writer, &result->metrics, inputs->alloc);
    if (search->node)
        report_inside_json(writer, &result->inside);
    json_begin_object(writer, "baseline");
    report_json(writer, &result->baseline, inputs->alloc);
    if (search->node)
        report_inside_json(writer, &result->baseline_inside);
    json_end_object(writer);
    json_put_string(writer, "candidate", mapper);
    json_put_u64(writer, "seed", search->seed);
    json_put_u64(writer, "work", result->work);
    if (schedule[0] != '\0')
        json_put_string(writer, "schedule", schedule);
    json_put_bool(writer, "interrupted", result->interrupted);
    json_put_u64(writer, "threads", search->threads);
    json_put_double(writer, "seconds", seconds);
    return answer_end(&answer, 0, err);
}

static int write_mapping(FILE *file,
                         const struct mapcore_result *result,
                         const struct mapcore_search *search,
                         struct mapcore_error *err)
{
    write_header(file, result, search);
    return mapcore_mapping_write(result->mapping, file, err);
}

/* What a search by time goes by in the end: where the graph is a whole profile,
 * the sum of the times of its types, and of its phases, where the program has
 * named some, beginning with the block layout's. */
static int open_types(struct guard *guard,
                      struct mapcore_search *search,
                      const struct inputs *inputs)
{
    const bool by_time = search->choose == MAPCORE_CHOOSE_TIME ||
                         search->choose == MAPCORE_CHOOSE_AUTO;
    struct mapcore_mapping *block = NULL;
    char *folder;
    int error;

    if (!by_time)
        return 0;
    error = graphs_whole_profile(&folder, &inputs->source, guard->err);
    if (error < 0 || !folder)
        return error;
    error = mapcore_mapping_block(
        &block, inputs->alloc, mapcore_graph_ntasks(inputs->graph), guard->err);
    if (error == 0)
        error = guard_begin(guard,
                            &(struct guard_subject){
                                folder, inputs->graph, inputs->alloc,
                                inputs->rates, DEFAULTS_TRAFFIC, block->host},
                            guard->err);
    if (error == 0 && guard->types.is_profile)
        search->workload = &guard->work;
    mapcore_mapping_destroy(block);
    free(folder);
    return error;
}

/* Searches, and writes what was found. The output is opened first: a search
 * whose result cannot be kept is not worth its time. */
static int map(struct map_options *options, struct mapcore_error *err)
{
    struct mapcore_search search = {
        .choose = options->search.choose,
        .alpha = options->search.alpha,
        .seed = options->search.seed,
        .work = options->search.work,
        .schedule = options->search.schedule,
        .ends_early = options->search.time.s <= 0,
        .threads = options->search.threads != 0 ? options->search.threads
                                                : tool_cpus(MAX_THREADS),
    };
    struct timed_search which = {.mapper = options->mapper,
                                 .settles = options->search.time.settles,
                                 .signals = true,
                                 .progress = true};
    double seconds = options->search.time.s, start;
    struct mapcore_result result = {0};
    struct tool_output output = {0};
    struct guard guard = {0};
    uint32_t *pin = NULL;
    int error, signal = 0;

    /* Ten seconds of searching say nothing of how long reading may take. */
    bounds_begin_reading(tool_now(), seconds);
    error = inputs_open(&options->inputs, err);
    bounds_end_reading();
    if (error < 0)
        return error;
    search.node = options->inputs.hwnode;
    if ((error = tool_output_open(&output, options->output, err)) < 0)
        return error;
    if (seconds <= 0 && options->search.time.settles)
        seconds = timed_search_auto(DEFAULT_SECONDS, 0);
    if (seconds <= 0 && search.work == 0)
        seconds = DEFAULT_SECONDS;
    if ((error = constraints_apply(
             &search, &pin, &options->search.constraints, options->inputs.alloc,
             NULL, mapcore_graph_ntasks(options->inputs.graph), err)) < 0)
        goto out;
    if ((error = open_types(&guard, &search, &options->inputs)) < 0)
        goto out;
    start = tool_now();
    which.graph = options->inputs.graph;
    which.alloc = options->inputs.alloc;
    which.deadline = seconds > 0 ? start + seconds : 0;
    error = timed_search_run(&result, &signal, &which, &search, err);
    seconds = tool_now() - start;
    if (error < 0)
        goto out;
    if (signal != 0)
        tool_note("%s: the best mapping so far is kept", strsignal(signal));
    error = tool_output_end(
        &output, write_mapping(output.file, &result, &search, err), err);
    if (error == 0 && answer_word(&options->form))
        error = write_report(&options->inputs, &result, &search, seconds,
                             &options->form, err);
out:
    guard_end(&guard);
    free(pin);
    tool_output_abandon(&output);
    mapcore_result_clear(&result);
    return error;
}

int map_main(int argc, char **argv, struct mapcore_error *err)
{
    struct map_options options = {.search = {SEARCH_DEFAULTS}};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = check_options(&options);
    if (status != TOOL_OK)
        return status;
    status = options.list ? list_mappers(&options, err) : map(&options, err);
    inputs_close(&options.inputs);
    return status;
}
