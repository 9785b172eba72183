/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_main.c - topomap eval: how good is this mapping, or these beside one
 * another */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "tools/common/csv.h"
#include "tools/common/inputs.h"
#include "tools/eval/eval_details.h"
#include "tools/eval/eval_mappings.h"
#include "tools/map_report.h"

#include <stdlib.h>

struct eval_options {
    struct inputs inputs;
    struct tool_list mappings;
    enum mapcore_routes routes;
    enum eval_detail {
        DETAIL_NONE,
        DETAIL_TABLE,
        DETAIL_CSV,
        DETAIL_JSON
    } links;
    enum eval_detail ranks;
    bool json, csv;
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

static const struct option_word details[] = {
    {"table", DETAIL_TABLE, "behind the other one", false},
    {"csv", DETAIL_CSV, "alone, comma separated values", false},
    {"json", DETAIL_JSON, "as --json", false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {.name = "mapping",
     .argument = "MAPPING",
     OPTION_INTO(struct eval_options, mappings),
     .required = true,
     .help = "a file: one line a task, node slot; or a hostfile, rankfile or "
             "rank order, where nodes have names; or block, cyclic or another "
             "mapper (topomap map --list), run once; may be repeated, to "
             "compare"},
    {.name = "routes",
     .argument = "ROUTES",
     OPTION_WORD_INTO(struct eval_options, routes, routes),
     .shows_default = true,
     .help = "which links a message takes"},
    {.name = "links",
     .argument = "FORM",
     OPTION_WORD_INTO(struct eval_options, links, details),
     .may_stand_alone = true,
     .help = "also what each link carries"},
    {.name = "ranks",
     .argument = "FORM",
     OPTION_WORD_INTO(struct eval_options, ranks, details),
     .may_stand_alone = true,
     .help = "also bytes, hop-bytes and hops per byte of each rank"},
    {.name = "json",
     OPTION_INTO(struct eval_options, json),
     .help = "keys avg_hop_bytes max_hop_bytes hops_per_byte off_node_bytes "
             "max_link_bytes max_link max_link_time max_time_link "
             "max_hops_per_byte; with --node also "
             "avg_inside_hop_bytes inside_hops_per_byte inside_bytes; of "
             "several mappings an object each, in mappings"},
    {.name = "csv",
     OPTION_INTO(struct eval_options, csv),
     .help = "the same as comma separated values, a line a mapping"},
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

/* Columns beside one another. */
static int print_tables(const struct eval_options *options,
                        const struct eval_mapping *mapping,
                        size_t n,
                        struct mapcore_error *err)
{
    const struct inputs *inputs = &options->inputs;
    struct mapcore_metrics *metrics = array_alloc(n, sizeof(*metrics), err);
    struct mapcore_inside *inside = array_alloc(n, sizeof(*inside), err);
    const char **titles = array_alloc(n, sizeof(*titles), err);
    int error = metrics && inside && titles ? 0 : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < n; i++) {
        titles[i] = mapping[i].title;
        metrics[i] = mapping[i].metrics;
        inside[i] = mapping[i].inside;
    }
    if (error == 0) {
        report_table(stdout, n > 1 ? titles : NULL, metrics, n, inputs->topo);
        report_max_table(stdout, metrics, n);
        if (inputs->hwnode)
            report_inside_table(stdout, inside, n);
        if (options->links)
            eval_print_links(inputs, mapping, n);
        if (options->ranks)
            eval_print_ranks(inputs, mapping, n);
    }
    free(metrics);
    free(inside);
    free(titles);
    return error;
}

static void put_mapping(struct json_writer *writer,
                        const struct eval_options *options,
                        const struct eval_mapping *mapping)
{
    report_json(writer, &mapping->metrics, options->inputs.topo);
    report_max_json(writer, &mapping->metrics);
    if (options->inputs.hwnode)
        report_inside_json(writer, &mapping->inside);
    if (options->links)
        eval_put_links(writer, &options->inputs, mapping);
    if (options->ranks)
        eval_put_ranks(writer, &options->inputs, mapping);
}

static int print_json(const struct eval_options *options,
                      const struct eval_mapping *mapping,
                      size_t n,
                      struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    if (n == 1) {
        put_mapping(&writer, options, mapping);
    } else {
        json_begin_array(&writer, "mappings");
        for (size_t i = 0; i < n; i++) {
            json_begin_object(&writer, NULL);
            json_put_string(&writer, "mapping", mapping[i].title);
            put_mapping(&writer, options, &mapping[i]);
            json_end_object(&writer);
        }
        json_end_array(&writer);
    }
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static void print_csv(const struct eval_options *options,
                      const struct eval_mapping *mapping,
                      size_t n)
{
    const bool has_inside = options->inputs.hwnode;

    printf("mapping");
    report_csv_names();
    puts(has_inside ? ",avg_inside_hop_bytes,inside_hops_per_byte,inside_bytes"
                    : "");
    for (size_t i = 0; i < n; i++) {
        csv_put_name(mapping[i].title);
        report_csv(&mapping[i].metrics, options->inputs.topo);
        if (has_inside) {
            csv_put_exact(true, mapping[i].inside.avg_inside_hop_bytes);
            csv_put_exact(true, mapping[i].inside.inside_hops_per_byte);
            csv_put_exact(true, (double)mapping[i].inside.inside_bytes);
        }
        putchar('\n');
    }
}

static int print(const struct eval_options *options,
                 const struct eval_mapping *mapping,
                 size_t n,
                 struct mapcore_error *err)
{
    if (options->links == DETAIL_CSV)
        eval_csv_links(&options->inputs, mapping, n);
    else if (options->ranks == DETAIL_CSV)
        eval_csv_ranks(&options->inputs, mapping, n);
    else if (options->csv)
        print_csv(options, mapping, n);
    else if (options->json)
        return print_json(options, mapping, n, err);
    else
        return print_tables(options, mapping, n, err);
    return 0;
}

/* What is printed is one thing. */
static int check_details(struct eval_options *options)
{
    const bool links = options->links == DETAIL_CSV;
    const bool ranks = options->ranks == DETAIL_CSV;

    options->json = options->json || options->links == DETAIL_JSON ||
                    options->ranks == DETAIL_JSON;
    if ((links && (ranks || options->ranks != DETAIL_NONE)) ||
        (ranks && options->links != DETAIL_NONE))
        return tool_usage("eval", "--links and --ranks are two tables: csv "
                                  "takes one");
    if (options->csv && (options->links || options->ranks))
        return tool_usage("eval", "--csv is one table: --links=csv and "
                                  "--ranks=csv are others");
    if ((links || ranks || options->csv) && options->json)
        return tool_usage("eval", "either --json or --csv");
    return TOOL_OK;
}

static int evaluate(struct eval_options *options, struct mapcore_error *err)
{
    const struct tool_list *words = &options->mappings;
    struct eval_mapping *mapping = NULL;
    int error = inputs_open(&options->inputs, err);

    if (error == 0 && !(mapping = array_alloc(words->n, sizeof(*mapping), err)))
        error = MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < words->n; i++)
        error = eval_mapping_open(&mapping[i], words->item[i], &options->inputs,
                                  options->routes, err);
    if (error == 0)
        error = print(options, mapping, words->n, err);
    for (size_t i = 0; mapping && i < words->n; i++)
        eval_mapping_clear(&mapping[i]);
    free(mapping);
    return error;
}

int eval_main(int argc, char **argv)
{
    struct eval_options options = {0};
    struct mapcore_error err;
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv) &&
        (status = check_details(&options)) == TOOL_OK) {
        if (evaluate(&options, &err) < 0)
            status = tool_fail("%s", err.text);
        inputs_close(&options.inputs);
    }
    free(options.mappings.item);
    return status;
}
