/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert_main.c - topomap convert: graphs and mappings between the files of
 * different tools */
#include "config.h"

#include "tools/common/command_line.h"

#include "tools/common/graphs.h"
#include "tools/common/told.h"
#include "tools/convert.h"

#include "json/json.h"

#include <string.h>
#include <sys/stat.h>

struct convert_options {
    struct graph_source graph;
    struct conversion_source mapping;
    const char *from, *to, *output;
    bool to_mapping; /* else a graph */
    bool json, csv;
    enum conversion_simulator simulator;
    enum mapcore_graph_format graph_to;
    enum mapcore_mapping_form mapping_to;
};

static const struct option_row operands[] = {
    {.name = "FILE",
     OPTION_INTO(struct convert_options, graph.path),
     .required = true,
     .help = "a task graph (a file of any format, a profile's folder, a "
             "pattern), or a mapping"},
    {.name = NULL},
};

/* By names alone: --to and --from are understood together, find_forms. */
static const struct option_word targets[] = {
    {"metis", 0, "a graph", false},
    {"scotch", 0, NULL, false},
    {"mtx", 0, NULL, false},
    {"edges", 0, NULL, false},
    {"dense", 0, NULL, false},
    {"npy", 0, "numpy.load", false},
    {"graphml", 0, NULL, false},
    {"treematch", 0, NULL, false},
    {"mapping", 0, "a mapping", false},
    {"hostfile", 0, "SLURM_HOSTFILE", false},
    {"rankfile", 0, "Open MPI", false},
    {"mpich", 0, "MPICH_RANK_ORDER", false},
    {"codes", 0, "simulators", false},
    {"sst", 0, NULL, false},
    {"libtopomap", 0, NULL, false},
    {NULL, 0, NULL, false},
};

static const struct option_word sources[] = {
    {"metis", 0, "a graph", false},
    {"scotch", 0, NULL, false},
    {"mtx", 0, NULL, false},
    {"edges", 0, NULL, false},
    {"dense", 0, NULL, false},
    {"npy", 0, NULL, false},
    {"graphml", 0, NULL, false},
    {"ompi-monitoring", 0, NULL, false},
    {"ipm", 0, NULL, false},
    {"tau", 0, NULL, false},
    {"nccl-inspector", 0, NULL, false},
    {"otf2", 0, NULL, false},
    {"intel", 0, NULL, false},
    {"mapping", 0, "a mapping", false},
    {"hostfile", 0, NULL, false},
    {"rankfile", 0, NULL, false},
    {"mpich", 0, NULL, false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {.name = "to",
     .argument = "FORM",
     OPTION_INTO(struct convert_options, to),
     .required = true,
     .words = targets,
     .help = "the form that is written"},
    {.name = "from",
     .argument = "FORM",
     OPTION_INTO(struct convert_options, from),
     .words = sources,
     .help = "the form of FILE, where it does not tell"},
    {.name = NULL},
};

static const struct option_row mapping_rows[] = {
    {.name = "nodelist",
     .argument = "NODES",
     OPTION_INTO(struct convert_options, mapping.nodelist),
     .help = "of a mapping: its nodes, in order: n[0-7]"},
    {.name = "tasks-per-node",
     .was = "slots",
     .argument = "COUNTS",
     OPTION_INTO(struct convert_options, mapping.slots),
     .help =
         "of a mapping: tasks that a node takes, or node by node: 16(x3),8"},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     OPTION_INTO(struct convert_options, output),
     .help = "write it there instead of to stdout"},
    {.name = "json",
     OPTION_INTO(struct convert_options, json),
     .help = "with -o: print what was written as JSON: output, form, kind "
             "(graph or mapping), ntasks and more"},
    {.name = "csv",
     OPTION_INTO(struct convert_options, csv),
     .help = "the same as comma-separated values"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "convert",
    .about = "Writes a task graph, or a mapping, in the form of another tool; "
             "see mapcore-graph(5).",
    .operands = operands,
    .groups = {{rows, 0},
               {graphs_rows + 1, offsetof(struct convert_options, graph)},
               {mapping_rows, 0}},
};

#define GRAPH_FORMS "metis, scotch, mtx, edges, dense, npy, graphml, treematch"
#define MAPPING_FORMS                                                          \
    "mapping, hostfile, rankfile, mpich, codes, sst, libtopomap"

/* Programs that read a form which is not called after them. */
static const struct {
    const char *reader, *form;
} readers[] = {{"chaco", "metis"},
               {"zoltan", "metis"},
               {"simgrid", "hostfile"}};

static bool find_format(enum mapcore_graph_format *out, const char *name)
{
    const struct option_word *word = graphs_formats;

    while (word->name && strcmp(word->name, name) != 0)
        word++;
    *out = (enum mapcore_graph_format)word->value;
    return word->name != NULL;
}

/* --to says whether it is a graph or a mapping, and --from must agree. */
static int find_forms(struct convert_options *out)
{
    struct mapcore_error err;

    for (size_t i = 0; i < sizeof(readers) / sizeof(*readers); i++)
        if (strcmp(out->to, readers[i].reader) == 0)
            out->to = readers[i].form;
    out->simulator = strcmp(out->to, "codes") == 0 ? CONVERSION_CODES
                     : strcmp(out->to, "sst") == 0 ? CONVERSION_SST
                     : strcmp(out->to, "libtopomap") == 0
                         ? CONVERSION_LIBTOPOMAP
                         : CONVERSION_NONE;
    out->to_mapping =
        out->simulator != CONVERSION_NONE ||
        mapcore_mapping_form_find(&out->mapping_to, out->to, &err) == 0;
    if (!out->to_mapping &&
        mapcore_graph_format_find(&out->graph_to, out->to, &err) < 0)
        return tool_usage(
            "convert",
            "--to wants a form, not '%s': %s for a graph, %s for a "
            "mapping",
            out->to, GRAPH_FORMS, MAPPING_FORMS);
    if (strcmp(out->to, "any") == 0)
        return tool_usage("convert", "--to wants a form, not 'any'");
    if (!out->from)
        return TOOL_OK;
    if (out->to_mapping
            ? mapcore_mapping_form_find(&out->mapping.form, out->from, &err) < 0
            : !find_format(&out->graph.how.format, out->from))
        return tool_usage("convert", "--from wants a form of %s, not '%s'",
                          out->to_mapping ? "mappings" : "graphs", out->from);
    return TOOL_OK;
}

static int check_options(struct convert_options *out)
{
    int error;

    out->mapping.path = out->graph.path;
    if ((out->json || out->csv) && !out->output)
        return tool_usage("convert", "--%s tells what -o FILE has got",
                          out->json ? "json" : "csv");
    error = find_forms(out);
    if (error != TOOL_OK)
        return error;
    if (out->to_mapping && (out->graph.how.ntasks > 0 || out->graph.name))
        return tool_usage("convert", "--ntasks and --graph are for graphs");
    if (!out->to_mapping && (out->mapping.nodelist || out->mapping.slots))
        return tool_usage("convert", "--nodelist and --tasks-per-node are for "
                                     "mappings");
    return TOOL_OK;
}

static int check_output(const struct convert_options *options,
                        struct mapcore_error *err)
{
    struct stat in, out;

    if (options->output && stat(options->graph.path, &in) == 0 &&
        stat(options->output, &out) == 0 && S_ISREG(in.st_mode) &&
        in.st_dev == out.st_dev && in.st_ino == out.st_ino)
        return error_set(err, MAPCORE_EINVAL,
                         "%s is what is to be read: it is not overwritten",
                         options->output);
    return 0;
}

/* What has been written, since that itself is another tool's. */
static int print_json(const struct convert_options *options,
                      const struct mapcore_graph *graph,
                      const struct conversion *c,
                      struct mapcore_error *err)
{
    struct told_answer told;
    struct json_writer *writer =
        told_begin(&told, stdout, options->csv ? TOLD_ONE_ROW : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_string(writer, "output", options->output);
    json_put_string(writer, "form", options->to);
    json_put_string(writer, "kind", graph ? "graph" : "mapping");
    if (graph) {
        json_put_u64(writer, "ntasks", mapcore_graph_ntasks(graph));
        json_put_u64(writer, "nedges", mapcore_graph_nedges(graph));
        json_put_u64(writer, "bytes", mapcore_graph_bytes(graph));
    } else {
        json_put_u64(writer, "ntasks", c->mapping->ntasks);
        json_put_u64(writer, "nhosts", c->nhosts);
    }
    json_end_object(writer);
    return told_end(&told, 0, err);
}

static int convert(struct convert_options *options, struct mapcore_error *err)
{
    struct conversion c = {0};
    struct mapcore_graph *graph = NULL;
    struct tool_output output = {0};
    FILE *file = stdout;
    int error = check_output(options, err);

    if (error < 0)
        return error;
    error = options->to_mapping ? conversion_read(&c, &options->mapping, err)
                                : graphs_open(&graph, &options->graph, err);
    if (error < 0)
        goto out;
    if (options->output) {
        if ((error = tool_output_open(&output, options->output, err)) < 0)
            goto out;
        file = output.file;
    }
    if (options->simulator != CONVERSION_NONE)
        error = conversion_write_simulator(&c, options->simulator, file, err);
    else if (options->to_mapping)
        error = conversion_write(&c, options->mapping_to, file, err);
    else
        error = mapcore_graph_write(graph, options->graph_to, file, err);
    if (error == 0 && output.file)
        error = tool_output_commit(&output, err);
    if (error == 0 && (options->json || options->csv))
        error = print_json(options, graph, &c, err);
out:
    tool_output_abandon(&output);
    mapcore_graph_destroy(graph);
    conversion_clear(&c);
    return error;
}

int convert_main(int argc, char **argv)
{
    struct convert_options options = {0};
    struct mapcore_error err;
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = check_options(&options);
    if (status != TOOL_OK)
        return status;
    return convert(&options, &err) < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
