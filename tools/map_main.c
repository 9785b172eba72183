/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map_main.c - topomap map: a mapping for a graph on a network */
#include "config.h"

#include "tools/tool.h"

#include "tools/inputs.h"
#include "tools/report.h"
#include "tools/timed_search.h"

#include <getopt.h>
#include <inttypes.h>
#include <signal.h>
#include <string.h>

static const double DEFAULT_SECONDS = 10.0;
enum {
    MAX_THREADS = 64,
};

static const char help[] =
    "usage: topomap map GRAPH --topology SPEC --slots N [OPTION]...\n"
    "       topomap map --list [--json]\n\n"
    "Searches for a mapping of the tasks of GRAPH onto hosts and slots that "
    "moves few\nbytes over few links, and prints it: one line a task, "
    "`host slot'.\n\n"
    "  GRAPH              task graph: a file of any format, a profile's folder,\n"
    "                     or a pattern, grid:4x8:periodic\n"
    "  --topology SPEC    torus:8x8x4, tree:8,16,8, dragonfly:9,4,2, ... or a file,\n"
    "                     see mapcore-topology(5)\n"
    "  --slots N          tasks a host takes, or one by one: 16(x3),8\n"
    "  --hosts FILE       the allocated hosts, one a line, instead of all\n" GRAPHS_HELP
    "  --node NODE        what every host is inside: \"package:2 core:8\" (as\n"
    "                     hwloc says it) or a file of hwloc's XML; slots are\n"
    "                     chosen by it\n"
    "  --mapper NAME      one mapper (see --list) instead of the portfolio\n"
    "  --choose WHAT      hop-bytes (default), pareto, link or auto\n"
    "  --alpha A          for pareto, how much more than the least average is\n"
    "                     allowed (default 1.05)\n"
    "  --time SECONDS     bound on the search (default 10, none with --work)\n"
    "  --work N           bound in units of work: the same result anywhere\n"
    "  --schedule A+B+C   how that work is split, as an earlier result has it\n"
    "  --threads N        default: the CPUs of this process\n"
    "  --seed N           default 1\n"
    "  -o, --output FILE  write the mapping there instead of to stdout\n"
    "  --json             a report on stdout; needs -o\n"
    "  --list             the mappers, one a line, with their sources\n\n"
    "Ctrl-C ends the search and keeps the best mapping so far.\n";

struct map_options {
    struct inputs inputs;
    struct search_options search;
    const char *mapper;
    const char *output;
    bool json, list, help;
};

static int check_options(struct map_options *out, int argc, char **argv)
{
    if (out->list && optind < argc)
        return tool_usage("map", "--list takes no graph");
    if (out->list)
        return TOOL_OK;
    if (optind == argc)
        return tool_usage("map", "the task graph is missing");
    if (optind + 1 < argc)
        return tool_usage("map", "one graph at a time, not '%s' too",
                          argv[optind + 1]);
    out->inputs.source.path = argv[optind];
    if (!out->inputs.topology)
        return tool_usage("map", "--topology is missing");
    if (!out->inputs.slots)
        return tool_usage("map", "--slots is missing");
    if (out->json && (!out->output || strcmp(out->output, "-") == 0))
        return tool_usage("map",
                          "--json needs -o FILE: the report goes to stdout");
    return TOOL_OK;
}

static int parse_options(struct map_options *out, int argc, char **argv)
{
    static const struct option longs[] = {
        {"topology", required_argument, NULL, 't'},
        {"slots", required_argument, NULL, 's'},
        {"hosts", required_argument, NULL, 'H'},
        {"node", required_argument, NULL, 'n'},
        {"mapper", required_argument, NULL, 'm'},
        SEARCH_LONG_OPTIONS,
        GRAPHS_LONG_OPTIONS,
        {"json", no_argument, NULL, 'j'},
        {"output", required_argument, NULL, 'o'},
        {"list", no_argument, NULL, 'l'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, ":ho:", longs, NULL)) != -1) {
        switch (c) {
        case 't':
            out->inputs.topology = optarg;
            break;
        case 's':
            out->inputs.slots = optarg;
            break;
        case 'H':
            out->inputs.hosts = optarg;
            break;
        case 'n':
            out->inputs.node = optarg;
            break;
        case 'm':
            out->mapper = optarg;
            break;
        case 'j':
            out->json = true;
            break;
        case 'o':
            out->output = optarg;
            break;
        case 'l':
            out->list = true;
            break;
        case 'h':
            out->help = true;
            return TOOL_OK;
        case '?':
        case ':':
            return tool_usage_getopt("map", c, argv);
        case GRAPHS_FORMAT:
        case GRAPHS_TASKS:
        case GRAPHS_NAME:
            if (!graphs_take_option(&out->inputs.source, "map", c, optarg))
                return TOOL_USAGE;
            break;
        default:
            if (!search_take_option(&out->search, "map", c, optarg))
                return TOOL_USAGE;
        }
    }
    return check_options(out, argc, argv);
}

static int list_mappers(bool json)
{
    struct mapcore_mapper mapper;
    struct mapcore_error err;
    struct json_writer writer;

    for (size_t i = 0; !json && mapcore_mapper_get(&mapper, i); i++)
        printf("%-12s %s [%s]\n", mapper.name, mapper.summary, mapper.source);
    if (!json)
        return TOOL_OK;
    json_writer_start(&writer, stdout);
    json_begin_array(&writer, NULL);
    for (size_t i = 0; mapcore_mapper_get(&mapper, i); i++) {
        json_begin_object(&writer, NULL);
        json_put_string(&writer, "name", mapper.name);
        json_put_string(&writer, "summary", mapper.summary);
        json_put_string(&writer, "source", mapper.source);
        json_end_object(&writer);
    }
    json_end_array(&writer);
    if (json_writer_end(&writer, &err) < 0)
        return tool_fail("%s", err.text);
    return TOOL_OK;
}

/* What was done, so that a file says where it comes from, and how to get it
 * again. */
static void write_header(FILE *file,
                         const struct mapcore_result *result,
                         const struct mapcore_search *search)
{
    char schedule[SEARCH_SCHEDULE_TEXT];

    search_print_schedule(schedule, &result->schedule);
    fprintf(file,
            "# topomap map: %s, seed %" PRIu64 ", work %" PRIu64 "%s%s%s\n"
            "# hops per byte %.6g -> %.6g\n",
            result->candidate, search->seed, result->work,
            schedule[0] != '\0' ? ", schedule " : "", schedule,
            result->cut ? " (cut)" : "", result->baseline.hops_per_byte,
            result->metrics.hops_per_byte);
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
                        struct mapcore_error *err)
{
    char schedule[SEARCH_SCHEDULE_TEXT];
    struct json_writer writer;

    search_print_schedule(schedule, &result->schedule);
    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    report_json(&writer, &result->metrics, inputs->topo);
    if (search->node)
        report_inside_json(&writer, &result->inside);
    json_begin_object(&writer, "baseline");
    report_json(&writer, &result->baseline, inputs->topo);
    if (search->node)
        report_inside_json(&writer, &result->baseline_inside);
    json_end_object(&writer);
    json_put_string(&writer, "candidate", result->candidate);
    json_put_u64(&writer, "seed", search->seed);
    json_put_u64(&writer, "work", result->work);
    if (schedule[0] != '\0')
        json_put_string(&writer, "schedule", schedule);
    json_put_bool(&writer, "cut", result->cut);
    json_put_u64(&writer, "threads", search->threads);
    json_put_double(&writer, "seconds", seconds);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static int write_mapping(FILE *file,
                         const struct mapcore_result *result,
                         const struct mapcore_search *search,
                         struct mapcore_error *err)
{
    write_header(file, result, search);
    return mapcore_mapping_write(result->mapping, file, err);
}

/* Searches, and writes what was found. The output is opened first: a search
 * whose result cannot be kept is not worth its time. */
static int map(struct map_options *options, struct mapcore_error *err)
{
    struct mapcore_search search = {
        .choose = options->search.choose,
        .alpha = options->search.alpha,
        .seed = options->search.seed != 0 ? options->search.seed : 1,
        .work = options->search.work,
        .schedule = options->search.schedule,
        .threads = options->search.threads != 0 ? options->search.threads
                                                : tool_cpus(MAX_THREADS),
        .mapper = options->mapper,
    };
    struct search_bounds bounds = {.signals = true, .progress = true};
    double seconds = options->search.time_s, start;
    struct mapcore_result result = {0};
    struct tool_output output = {0};
    int error, signal = 0;

    if ((error = inputs_open(&options->inputs, err)) < 0)
        return error;
    search.node = options->inputs.hwnode;
    if (options->output &&
        (error = tool_output_open(&output, options->output, err)) < 0)
        return error;
    if (seconds <= 0 && search.work == 0)
        seconds = DEFAULT_SECONDS;
    start = tool_now();
    bounds.deadline = seconds > 0 ? start + seconds : 0;
    error = search_run(&result, &signal, options->inputs.graph,
                       options->inputs.alloc, &search, &bounds, err);
    seconds = tool_now() - start;
    if (error < 0)
        goto out;
    if (signal != 0)
        tool_note("%s: the best mapping so far is kept", strsignal(signal));
    error = write_mapping(output.file ? output.file : stdout, &result, &search,
                          err);
    if (error == 0 && output.file)
        error = tool_output_commit(&output, err);
    if (error == 0 && options->json)
        error = write_report(&options->inputs, &result, &search, seconds, err);
out:
    tool_output_abandon(&output);
    mapcore_result_clear(&result);
    return error;
}

int map_main(int argc, char **argv)
{
    struct map_options options = {0};
    struct mapcore_error err;
    int error = parse_options(&options, argc, argv);

    if (error != TOOL_OK)
        return error;
    if (options.help) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (options.list)
        return list_mappers(options.json);
    if (map(&options, &err) < 0)
        error = tool_fail("%s", err.text);
    inputs_close(&options.inputs);
    return error;
}
