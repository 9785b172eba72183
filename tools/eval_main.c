/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_main.c - topomap eval: how good is this mapping */
#include "config.h"

#include "tools/tool.h"

#include "base/text.h"

#include "tools/inputs.h"
#include "tools/report.h"

#include <getopt.h>
#include <string.h>

static const char help[] =
    "usage: topomap eval GRAPH --topology SPEC --slots N --mapping MAPPING\n"
    "                    [--hosts FILE] [--routes dor|least-loaded]\n"
    "                    [--node NODE] [--json]\n\n"
    "Prints hop-bytes, off-node bytes and the busiest link of a mapping.\n\n"
    "  GRAPH              task graph: a file of any format, a profile's folder,\n"
    "                     or a pattern, grid:4x8:periodic\n"
    "  --topology SPEC    torus:8x8x4, tree:8,16,8, dragonfly:9,4,2, ... or a file,\n"
    "                     see mapcore-topology(5)\n"
    "  --slots N          tasks a host takes, or one by one: 16(x3),8\n"
    "  --hosts FILE       the allocated hosts, one a line, instead of all\n" GRAPHS_HELP
    "  --mapping MAPPING  one line a task, host slot; or a hostfile, rankfile\n"
    "                     or rank order, where hosts have names\n"
    "  --routes ROUTES    dor: each pair of hosts has one route (default);\n"
    "                     least-loaded: task pair after task pair takes the\n"
    "                     shortest path that carries least so far (ICS 2017)\n"
    "  --node NODE        what every host is inside: \"package:2 core:8\" (as\n"
    "                     hwloc says it) or a file of hwloc's XML; prints the\n"
    "                     hop-bytes inside hosts as well\n"
    "  --json             keys avg_hop_bytes max_hop_bytes hops_per_byte\n"
    "                     off_node_bytes max_link_bytes max_link\n"
    "                     max_link_time max_time_link; with\n"
    "                     --node also avg_inside_hop_bytes\n"
    "                     inside_hops_per_byte inside_bytes\n";

struct eval_options {
    struct inputs inputs;
    const char *mapping;
    enum mapcore_routes routes;
    bool json;
    bool help;
};

static bool take_routes(struct eval_options *out, const char *text)
{
    bool least = strcmp(text, "least-loaded") == 0;

    out->routes = least ? MAPCORE_ROUTES_LEAST_LOADED : MAPCORE_ROUTES_STATIC;
    return least || strcmp(text, "dor") == 0;
}

static int parse_options(struct eval_options *out, int argc, char **argv)
{
    static const struct option longs[] = {
        {"topology", required_argument, NULL, 't'},
        {"slots", required_argument, NULL, 's'},
        {"hosts", required_argument, NULL, 'H'},
        {"mapping", required_argument, NULL, 'm'},
        {"routes", required_argument, NULL, 'r'},
        {"node", required_argument, NULL, 'n'},
        {"json", no_argument, NULL, 'j'},
        GRAPHS_LONG_OPTIONS,
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
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
        case 'm':
            out->mapping = optarg;
            break;
        case 'r':
            if (!take_routes(out, optarg))
                return tool_usage("eval",
                                  "--routes wants dor or least-loaded, not "
                                  "'%s'",
                                  optarg);
            break;
        case 'n':
            out->inputs.node = optarg;
            break;
        case 'j':
            out->json = true;
            break;
        case 'h':
            out->help = true;
            return TOOL_OK;
        case GRAPHS_FORMAT:
        case GRAPHS_TASKS:
        case GRAPHS_NAME:
            if (!graphs_take_option(&out->inputs.source, "eval", c, optarg))
                return TOOL_USAGE;
            break;
        default:
            return tool_usage_getopt("eval", c, argv);
        }
    }
    if (optind == argc)
        return tool_usage("eval", "the task graph is missing");
    if (optind + 1 < argc)
        return tool_usage("eval", "one graph at a time, not '%s' too",
                          argv[optind + 1]);
    out->inputs.source.path = argv[optind];
    if (!out->inputs.topology)
        return tool_usage("eval", "--topology is missing");
    if (!out->inputs.slots)
        return tool_usage("eval", "--slots is missing");
    if (!out->mapping)
        return tool_usage("eval", "--mapping is missing");
    return TOOL_OK;
}

static int evaluate(struct eval_options *options, struct mapcore_error *err)
{
    struct inputs *inputs = &options->inputs;
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_metrics metrics;
    struct mapcore_inside inside;
    struct json_writer writer;
    int error;

    if ((error = inputs_open(inputs, err)) < 0 ||
        (error = mapcore_mapping_read_form(&mapping, inputs->alloc,
                                           options->mapping,
                                           MAPCORE_MAPPING_ANY, err)) < 0)
        goto out;
    if (mapping->ntasks != mapcore_graph_ntasks(inputs->graph)) {
        error = error_set(
            err, MAPCORE_EINVAL, "%s places %u task%s, and %s has %u",
            options->mapping, mapping->ntasks, text_plural(mapping->ntasks),
            inputs->source.path, mapcore_graph_ntasks(inputs->graph));
        goto out;
    }
    error =
        mapcore_metrics_compute_routes(&metrics, inputs->graph, inputs->alloc,
                                       mapping->host, options->routes, err);
    if (error == 0 && inputs->hwnode)
        error = mapcore_inside_compute(&inside, inputs->graph, inputs->alloc,
                                       mapping, inputs->hwnode, err);
    if (error < 0)
        goto out;
    if (!options->json) {
        report_table(stdout, NULL, &metrics, 1, inputs->topo);
        if (inputs->hwnode)
            report_inside_table(stdout, &inside, 1);
        goto out;
    }
    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    report_json(&writer, &metrics, inputs->topo);
    if (inputs->hwnode)
        report_inside_json(&writer, &inside);
    json_end_object(&writer);
    error = json_writer_end(&writer, err);
out:
    mapcore_mapping_destroy(mapping);
    return error;
}

int eval_main(int argc, char **argv)
{
    struct eval_options options = {0};
    struct mapcore_error err;
    int error = parse_options(&options, argc, argv);

    if (error != TOOL_OK)
        return error;
    if (options.help) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (evaluate(&options, &err) < 0)
        error = tool_fail("%s", err.text);
    inputs_close(&options.inputs);
    return error;
}
