/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_main.c - topomap eval: how good is this mapping */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/text.h"

#include "tools/common/inputs.h"
#include "tools/map_report.h"

#include <string.h>

struct eval_options {
    struct inputs inputs;
    const char *mapping;
    enum mapcore_routes routes;
    bool json;
};

static const struct option_row operands[] = {
    {.name = "GRAPH",
     OPTION_INTO(struct eval_options, inputs.source.path),
     .required = true,
     .help = GRAPHS_OPERAND_HELP},
    {.name = NULL},
};

static const struct option_word routes[] = {
    {"dor", MAPCORE_ROUTES_STATIC, "each pair of nodes has one route", false},
    {"least-loaded", MAPCORE_ROUTES_LEAST_LOADED,
     "task pair after task pair takes the shortest path that carries least so "
     "far, ICS 2017",
     false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {.name = "mapping",
     .argument = "FILE",
     OPTION_INTO(struct eval_options, mapping),
     .required = true,
     .help = "one line a task, node slot; or a hostfile, rankfile or rank "
             "order, where nodes have names"},
    {.name = "routes",
     .argument = "ROUTES",
     OPTION_WORD_INTO(struct eval_options, routes, routes),
     .shows_default = true,
     .help = "which links a message takes"},
    {.name = "json",
     OPTION_INTO(struct eval_options, json),
     .help = "keys avg_hop_bytes max_hop_bytes hops_per_byte off_node_bytes "
             "max_link_bytes max_link max_link_time max_time_link; with --node "
             "also avg_inside_hop_bytes inside_hops_per_byte inside_bytes"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "eval",
    .about = "Prints hop-bytes, off-node bytes and the busiest link of a "
             "mapping, with --node also the hop-bytes inside nodes.",
    .operands = operands,
    .groups = {{inputs_rows, offsetof(struct eval_options, inputs)},
               {graphs_rows, offsetof(struct eval_options, inputs.source)},
               {rows, 0}},
};

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
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    if (evaluate(&options, &err) < 0)
        status = tool_fail("%s", err.text);
    inputs_close(&options.inputs);
    return status;
}
