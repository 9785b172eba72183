/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_main.c - topomap grid: rank orders that give every node a block of a
 * grid */
#include "config.h"

#include "tools/tool.h"

#include "base/array.h"
#include "base/hosts.h"
#include "cart/blocks.h"
#include "tools/torus/rank_order.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: topomap grid GRID --per-node BLOCK [OPTION]...\n\n"
    "Orders the ranks of a Cartesian grid such that every node, in turn, gets a\n"
    "block of neighbours, and prints the order.\n\n"
    "  GRID               tasks along each dimension: 8x8x4\n"
    "  --per-node BLOCK   tasks of a node along each dimension: 2x2x4\n"
    "  --order WHICH      the dimension along which ranks run: last (default,\n"
    "                     as MPI_Cart_create has it) or first\n"
    "  --format FORM      mpich (default): MPICH_RANK_ORDER; mapping: a line\n"
    "                     `host slot' a task; hostfile: SLURM_HOSTFILE;\n"
    "                     rankfile: Open MPI's\n"
    "  --nodelist HOSTS   the job's nodes, n[0-15]: their names, and a check of\n"
    "                     their number\n"
    "  -o, --output FILE  write it there instead of to stdout\n";

struct grid_options {
    struct mapcore_grid_layout layout;
    const char *grid, *block, *nodelist, *output;
    enum mapcore_mapping_form form;
    bool help;
};

/* The two boxes, once both are there. */
static int take_boxes(struct grid_options *out)
{
    struct mapcore_grid_layout *layout = &out->layout;
    uint32_t n;

    if (!rank_order_take_box(layout->grid, &layout->ndims, MAPCORE_GRID_DIMS,
                             out->grid))
        return tool_usage("grid",
                          "a grid is 1 to %d numbers from 1, such as 8x8x4, "
                          "not '%s'",
                          MAPCORE_GRID_DIMS, out->grid);
    if (!rank_order_take_box(layout->block, &n, MAPCORE_GRID_DIMS, out->block))
        return tool_usage("grid",
                          "--per-node wants a block such as 2x2x4, not '%s'",
                          out->block);
    if (n != layout->ndims)
        return tool_usage("grid",
                          "a grid of %" PRIu32 " dimensions, but a block of "
                          "%" PRIu32,
                          layout->ndims, n);
    return TOOL_OK;
}

static int check_options(struct grid_options *out, int argc, char **argv)
{
    if (optind == argc)
        return tool_usage("grid", "the grid is missing");
    if (optind + 1 < argc)
        return tool_usage("grid", "one grid at a time, not '%s' too",
                          argv[optind + 1]);
    out->grid = argv[optind];
    if (!out->block)
        return tool_usage("grid", "--per-node is missing");
    return take_boxes(out);
}

static int take_order(struct grid_options *out, const char *text)
{
    if (strcmp(text, "first") != 0 && strcmp(text, "last") != 0)
        return tool_usage("grid", "--order wants last or first, not '%s'",
                          text);
    out->layout.first_fastest = *text == 'f';
    return TOOL_OK;
}

static int take_form(struct grid_options *out, const char *text)
{
    struct mapcore_error err;

    if (mapcore_mapping_form_find(&out->form, text, &err) < 0 ||
        out->form == MAPCORE_MAPPING_ANY)
        return tool_usage("grid",
                          "--format wants mpich, mapping, hostfile or "
                          "rankfile, not '%s'",
                          text);
    return TOOL_OK;
}

static int parse_options(struct grid_options *out, int argc, char **argv)
{
    static const struct option longs[] = {
        {"per-node", required_argument, NULL, 'b'},
        {"order", required_argument, NULL, 'r'},
        {"format", required_argument, NULL, 'f'},
        {"nodelist", required_argument, NULL, 'n'},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c, error = TOOL_OK;

    opterr = 0;
    while (error == TOOL_OK &&
           (c = getopt_long(argc, argv, ":ho:", longs, NULL)) != -1) {
        switch (c) {
        case 'b':
            out->block = optarg;
            break;
        case 'r':
            error = take_order(out, optarg);
            break;
        case 'f':
            error = take_form(out, optarg);
            break;
        case 'n':
            out->nodelist = optarg;
            break;
        case 'o':
            out->output = optarg;
            break;
        case 'h':
            out->help = true;
            return TOOL_OK;
        default:
            return tool_usage_getopt("grid", c, argv);
        }
    }
    return error == TOOL_OK ? check_options(out, argc, argv) : error;
}

/* The nodes, if they are known, must be as many as the blocks. */
static int take_nodes(struct hosts *nodes,
                      const char *nodelist,
                      uint32_t nplaces,
                      struct mapcore_error *err)
{
    int error;

    if (!nodelist)
        return 0;
    if ((error = hosts_expand_distinct(nodes, nodelist, err)) < 0)
        return error;
    if (nodes->n != nplaces)
        return error_set(err, MAPCORE_EINVAL,
                         "the grid has %" PRIu32 " blocks, but the list %zu "
                         "nodes",
                         nplaces, nodes->n);
    return 0;
}

static int write_order(const struct grid_options *options,
                       const uint32_t *rank,
                       uint32_t nplaces,
                       uint32_t nper,
                       const struct hosts *nodes,
                       struct mapcore_error *err)
{
    struct tool_output output = {0};
    int error = 0;

    if (options->output)
        error = tool_output_open(&output, options->output, err);
    if (error == 0)
        error = rank_order_write(
            rank, nplaces, nper,
            nodes->n > 0 ? (const char *const *)nodes->name : NULL,
            options->form, output.file ? output.file : stdout, err);
    if (error == 0 && output.file)
        error = tool_output_commit(&output, err);
    tool_output_abandon(&output);
    return error;
}

static int order(const struct grid_options *options, struct mapcore_error *err)
{
    struct hosts nodes = {0};
    uint32_t nplaces, nper, *rank = NULL;
    int error = mapcore_grid_check(&nplaces, &nper, &options->layout, err);

    if (error < 0 ||
        (error = take_nodes(&nodes, options->nodelist, nplaces, err)) < 0)
        goto out;
    rank = array_alloc((size_t)nplaces * nper, sizeof(*rank), err);
    error = rank ? 0 : MAPCORE_ENOMEM;
    if (error < 0)
        goto out;
    mapcore_grid_order(rank, &options->layout);
    error = write_order(options, rank, nplaces, nper, &nodes, err);
out:
    free(rank);
    hosts_clear(&nodes);
    return error;
}

int grid_main(int argc, char **argv)
{
    struct grid_options options = {.form = MAPCORE_MAPPING_MPICH};
    struct mapcore_error err;
    int error = parse_options(&options, argc, argv);

    if (error != TOOL_OK)
        return error;
    if (options.help) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if (order(&options, &err) < 0)
        return tool_fail("%s", err.text);
    return TOOL_OK;
}
