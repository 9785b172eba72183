/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* convert_main.c - topomap convert: graphs and mappings between the files of
 * different tools */
#include "config.h"

#include "tools/tool.h"

#include "tools/convert.h"
#include "tools/graphs.h"

#include <getopt.h>
#include <string.h>
#include <sys/stat.h>

static const char help[] =
    "usage: topomap convert FILE --to FORM [--from FORM] [-o FILE] "
    "[OPTION]...\n\n"
    "Writes a task graph, or a mapping, in the form of another tool; see\n"
    "mapcore-graph(5).\n\n"
    "  --to FORM          of a graph: metis, scotch, mtx, edges; of a mapping:\n"
    "                     mapping, hostfile (SLURM_HOSTFILE), rankfile (Open\n"
    "                     MPI), mpich (MPICH_RANK_ORDER)\n"
    "  --from FORM        where the file itself does not tell\n"
    "  --tasks N          of a graph: blocks of rows of a matrix; tasks of a\n"
    "                     list of edges\n"
    "  --graph NAME       of a profile's folder: p2p, alltoall, ..., sum,\n"
    "                     weighted-sum (default), all\n"
    "  --nodelist HOSTS   of a mapping: its hosts, in order: n[0-7]\n"
    "  --slots N          of a mapping: tasks a host takes, or one by one:\n"
    "                     16(x3),8\n"
    "  -o, --output FILE  write it there instead of to stdout\n";

struct convert_options {
    struct graph_source graph;
    struct conversion_source mapping;
    const char *from, *to, *output;
    bool to_mapping; /* else a graph */
    enum mapcore_graph_format graph_to;
    enum mapcore_mapping_form mapping_to;
    bool help;
};

enum {
    OPTION_FROM = 1,
    OPTION_TO,
    OPTION_NODELIST,
    OPTION_SLOTS,
};

/* --to says whether it is a graph or a mapping, and --from must agree. */
static int find_forms(struct convert_options *out)
{
    struct mapcore_error err;

    out->to_mapping =
        mapcore_mapping_form_find(&out->mapping_to, out->to, &err) == 0;
    if (!out->to_mapping &&
        mapcore_graph_format_find(&out->graph_to, out->to, &err) < 0)
        return tool_usage("convert", "--to wants a form, not '%s'", out->to);
    if (strcmp(out->to, "any") == 0)
        return tool_usage("convert", "--to wants a form, not 'any'");
    if (!out->from)
        return TOOL_OK;
    if (out->to_mapping
            ? mapcore_mapping_form_find(&out->mapping.form, out->from, &err) < 0
            : mapcore_graph_format_find(&out->graph.how.format, out->from,
                                        &err) < 0)
        return tool_usage("convert", "--from wants a form of %s, not '%s'",
                          out->to_mapping ? "mappings" : "graphs", out->from);
    return TOOL_OK;
}

static int check_options(struct convert_options *out, int argc, char **argv)
{
    int error;

    if (optind == argc)
        return tool_usage("convert", "which file?");
    if (optind + 1 < argc)
        return tool_usage("convert", "one file at a time, not '%s' too",
                          argv[optind + 1]);
    out->mapping.path = out->graph.path = argv[optind];
    if (!out->to)
        return tool_usage("convert", "--to is missing");
    error = find_forms(out);
    if (error != TOOL_OK)
        return error;
    if (out->to_mapping && (out->graph.how.ntasks > 0 || out->graph.name))
        return tool_usage("convert", "--tasks and --graph are for graphs");
    if (!out->to_mapping && (out->mapping.nodelist || out->mapping.slots))
        return tool_usage("convert", "--nodelist and --slots are for mappings");
    return TOOL_OK;
}

static int parse_options(struct convert_options *out, int argc, char **argv)
{
    static const struct option longs[] = {
        {"from", required_argument, NULL, OPTION_FROM},
        {"to", required_argument, NULL, OPTION_TO},
        {"tasks", required_argument, NULL, GRAPHS_TASKS},
        {"graph", required_argument, NULL, GRAPHS_NAME},
        {"nodelist", required_argument, NULL, OPTION_NODELIST},
        {"slots", required_argument, NULL, OPTION_SLOTS},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c;

    opterr = 0;
    while ((c = getopt_long(argc, argv, ":ho:", longs, NULL)) != -1) {
        switch (c) {
        case OPTION_FROM:
            out->from = optarg;
            break;
        case OPTION_TO:
            out->to = optarg;
            break;
        case OPTION_NODELIST:
            out->mapping.nodelist = optarg;
            break;
        case OPTION_SLOTS:
            out->mapping.slots = optarg;
            break;
        case 'o':
            out->output = optarg;
            break;
        case 'h':
            out->help = true;
            return TOOL_OK;
        case GRAPHS_TASKS:
        case GRAPHS_NAME:
            if (!graphs_take_option(&out->graph, "convert", c, optarg))
                return TOOL_USAGE;
            break;
        default:
            return tool_usage_getopt("convert", c, argv);
        }
    }
    return check_options(out, argc, argv);
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
    error = options->to_mapping
                ? conversion_write(&c, options->mapping_to, file, err)
                : mapcore_graph_write(graph, options->graph_to, file, err);
    if (error == 0 && output.file)
        error = tool_output_commit(&output, err);
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
    int error = parse_options(&options, argc, argv);

    if (error != TOOL_OK)
        return error;
    if (options.help) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    return convert(&options, &err) < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
