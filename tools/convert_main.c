/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert_main.c - topomap convert: graphs and mappings between the files of
 * different tools */
#include "config.h"

#include "tools/common/command_line.h"

#include "tools/inputs/foreign.h"
#include "tools/inputs/graphs.h"
#include "tools/table/answer.h"

#include "json/json.h"

#include <sys/stat.h>

struct convert_options {
    struct graph_source graph;
    const char *nodelist, *slots; /* of a mapping, or NULL */
    int from, to; /* values of sources and targets; from 0: not said */
    const char *output;
    struct answer_form form;
};

static const struct option_row operands[] = {
    {OPTION_NAMED("FILE", struct convert_options, graph.path),
     .required = true},
    {.name = NULL},
};

/* Forms of mappings are numbered behind formats of graphs. */
enum {
    MAPPINGS = 2 * GRAPHS_FOREIGN,
    MAPPING_PLAIN,
    MAPPING_HOSTFILE,
    MAPPING_RANKFILE,
    MAPPING_MPICH,
};

static const struct option_word targets[] = {
    {"metis", MAPCORE_GRAPH_METIS, "a graph", false},
    {"scotch", MAPCORE_GRAPH_SCOTCH, NULL, false},
    {"mtx", MAPCORE_GRAPH_MTX, NULL, false},
    {"edges", MAPCORE_GRAPH_EDGES, NULL, false},
    {"dense", MAPCORE_GRAPH_DENSE, NULL, false},
    {"npy", MAPCORE_GRAPH_NPY, "numpy.load", false},
    {"mapping", MAPPING_PLAIN, "a mapping", false},
    {"hostfile", MAPPING_HOSTFILE, "SLURM_HOSTFILE", false},
    {"rankfile", MAPPING_RANKFILE, "Open MPI", false},
    {"mpich", MAPPING_MPICH, "MPICH_RANK_ORDER", false},
    {NULL, 0, NULL, false},
};

static const struct option_word sources[] = {
    {"metis", MAPCORE_GRAPH_METIS, "a graph", false},
    {"scotch", MAPCORE_GRAPH_SCOTCH, NULL, false},
    {"mtx", MAPCORE_GRAPH_MTX, NULL, false},
    {"edges", MAPCORE_GRAPH_EDGES, NULL, false},
    {"dense", MAPCORE_GRAPH_DENSE, NULL, false},
    {"npy", MAPCORE_GRAPH_NPY, NULL, false},
    GRAPHS_FOREIGN_WORDS,
    {"mapping", MAPPING_PLAIN, "a mapping", false},
    {"hostfile", MAPPING_HOSTFILE, NULL, false},
    {"rankfile", MAPPING_RANKFILE, NULL, false},
    {"mpich", MAPPING_MPICH, NULL, false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {OPTION("to", "FORM"),
     OPTION_WORD_INTO(struct convert_options, to, targets), .required = true},
    {OPTION("from", "FORM"),
     OPTION_WORD_INTO(struct convert_options, from, sources)},
    {.name = NULL},
};

static const struct option_row mapping_rows[] = {
    {OPTION_TAKES("nodelist", "NODES", struct convert_options, nodelist)},
    {OPTION_TAKES("tasks-per-node", "COUNTS", struct convert_options, slots)},
    {OPTION_TAKES("output", "FILE", struct convert_options, output),
     .letter = 'o'},
    {OPTION_NAMED("json", struct convert_options, form.json)},
    {OPTION_NAMED("csv", struct convert_options, form.csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "convert",
    .operands = operands,
    .groups = {{rows, 0},
               {graphs_rows + 1, offsetof(struct convert_options, graph)},
               {mapping_rows, 0}},
};

static int check_options(struct convert_options *out)
{
    if (answer_word(&out->form) && !out->output)
        return tool_usage("convert", "--%s tells what -o FILE has got",
                          answer_word(&out->form));
    if (out->from > 0 && (out->from > MAPPINGS) != (out->to > MAPPINGS))
        return tool_usage("convert", "--from wants a form of %s",
                          out->to > MAPPINGS ? "mappings" : "graphs");
    if (out->to < MAPPINGS)
        out->graph.how.format = (enum mapcore_graph_format)out->from;
    if (out->to > MAPPINGS && (out->graph.how.ntasks > 0 || out->graph.name))
        return tool_usage("convert", "--ntasks and --graph are for graphs");
    if (out->to < MAPPINGS && (out->nodelist || out->slots))
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

static const char *find_word(const struct option_word *word, int value)
{
    while (word->value != value)
        word++;
    return word->name;
}

/* What a mapping came to. */
struct converted {
    struct buffer text;
    unsigned ntasks, nhosts, lost;
    int at; /* where the form begins */
};

static int read_mapping(struct converted *out,
                        const struct convert_options *options,
                        struct mapcore_error *err)
{
    const char *const words[] = {
        options->from > 0 ? find_word(sources, options->from) : "any",
        options->graph.path,
        find_word(targets, options->to),
        options->nodelist ? options->nodelist : "",
        options->slots ? options->slots : "",
        NULL};
    int error = foreign_mapping_convert(&out->text, words, err);

    if (error < 0)
        return error;
    if (!out->text.bytes ||
        sscanf(out->text.bytes, "%u %u %u\n%n", &out->ntasks, &out->nhosts,
               &out->lost, &out->at) < 3)
        return error_set(err, MAPCORE_EIO, "mapping-readers.py failed");
    /* Slurm fills them in ascending order of ranks. */
    if (out->lost)
        tool_note("a hostfile says nothing of slots: those of the mapping are "
                  "lost");
    return 0;
}

/* What has been written, since that itself is another tool's. */
static int print_json(const struct convert_options *options,
                      const struct mapcore_graph *graph,
                      const struct converted *mapping,
                      struct mapcore_error *err)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, &options->form, NULL, ANSWER_ONE_ROW);

    json_put_string(writer, "output", options->output);
    json_put_string(writer, "form", find_word(targets, options->to));
    json_put_string(writer, "kind", graph ? "graph" : "mapping");
    if (graph) {
        json_put_u64(writer, "ntasks", mapcore_graph_ntasks(graph));
        json_put_u64(writer, "nedges", mapcore_graph_nedges(graph));
        json_put_u64(writer, "bytes", mapcore_graph_bytes(graph));
    } else {
        json_put_u64(writer, "ntasks", mapping->ntasks);
        json_put_u64(writer, "nhosts", mapping->nhosts);
    }
    return answer_end(&answer, 0, err);
}

static int convert(struct convert_options *options, struct mapcore_error *err)
{
    struct converted mapping = {.at = 0};
    struct mapcore_graph *graph = NULL;
    struct tool_output output = {0};
    const bool is_mapping = options->to > MAPPINGS;
    int error = check_output(options, err);

    if (error < 0)
        return error;
    error = is_mapping ? read_mapping(&mapping, options, err)
                       : graphs_open(&graph, &options->graph, err);
    if (error == 0)
        error = tool_output_open(&output, options->output, err);
    if (error == 0 && is_mapping)
        fputs(mapping.text.bytes + mapping.at, output.file);
    else if (error == 0)
        error = mapcore_graph_write(
            graph, (enum mapcore_graph_format)options->to, output.file, err);
    error = tool_output_end(&output, error, err);
    if (error == 0 && answer_word(&options->form))
        error = print_json(options, graph, &mapping, err);
    mapcore_graph_destroy(graph);
    buffer_clear(&mapping.text);
    return error;
}

int convert_main(int argc, char **argv, struct mapcore_error *err)
{
    struct convert_options options = {0};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = check_options(&options);
    return status != TOOL_OK ? status : convert(&options, err);
}
