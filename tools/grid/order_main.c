/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order_main.c - topomap grid order: rank orders that give every node a block
 * of a grid */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/hosts.h"
#include "cart/blocks.h"
#include "tools/grid/grid_advice.h"
#include "tools/grid/grid_print.h"
#include "tools/grid/grid_subject.h"
#include "tools/rank_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct grid_options {
    struct mapcore_blocks layout; /* ndims 0: the grid is not given */
    struct grid_subject subject;
    const char *grid, *block, *nodelist, *output;
    uint32_t per; /* tasks of a node; 0: not said */
    enum mapcore_mapping_form form;
    enum rank_direction order;
    bool json, csv;
};

static const struct option_row operands[] = {
    {.name = "GRID",
     OPTION_INTO(struct grid_options, grid),
     .help = "tasks along each dimension: 8x8x4 (with --profile found without "
             "it)"},
    {.name = NULL},
};

static const struct option_row rows[] = {
    {.name = "block",
     .argument = "BLOCK",
     OPTION_INTO(struct grid_options, block),
     .help = "tasks of a node along each dimension: 2x2x4 (with --profile "
             "the best without it)"},
    {.name = "profile",
     .argument = "PROFILE",
     OPTION_INTO(struct grid_options, subject.words),
     .help = "choose the block by recorded bytes and print what stays on nodes "
             "under it and other orders: PROGRAM[:NTASKS], name:NAME, a folder "
             "or a task graph"},
    {.name = "graph",
     .argument = "NAME",
     OPTION_INTO(struct grid_options, subject.graph_name),
     .help = "which of its graphs: p2p, alltoall, ..., sum, all (default all)"},
    {.name = "tasks-per-node",
     .argument = "K",
     OPTION_INTO(struct grid_options, per),
     .min = 1,
     .max = INT32_MAX,
     .help = "with --profile, tasks of a node (default: as recorded)"},
    {.name = "catalogue",
     .argument = "DIR",
     OPTION_INTO(struct grid_options, subject.catalogues),
     .help = "look for profiles there, too (may be repeated)"},
    {.name = "config",
     .argument = "FILE",
     OPTION_INTO(struct grid_options, subject.config),
     .help =
         "the site file, for its catalogues (default " TOPOMAP_SITEFILE ")"},
    {.name = "order",
     .argument = "WHICH",
     OPTION_WORD_INTO(struct grid_options, order, rank_order_directions),
     .shows_default = true,
     .help = "the dimension along which ranks run"},
    {.name = "to",
     .argument = "FORM",
     OPTION_WORD_INTO(struct grid_options, form, rank_order_forms),
     .shows_default = true,
     .help = "the form of the order"},
    {.name = "nodelist",
     .argument = "NODES",
     OPTION_INTO(struct grid_options, nodelist),
     .help = "the job's nodes, n[0-15]: their names, and a check of their "
             "number"},
    {.name = "output",
     .letter = 'o',
     .argument = "FILE",
     OPTION_INTO(struct grid_options, output),
     .help = "write it there instead of to stdout; with --profile nothing is "
             "written without"},
    {.name = "json",
     OPTION_INTO(struct grid_options, json),
     .help = "print JSON: grid, ranks, and with --profile orders, chosen, "
             "fewer_off_node_share and more; the order in its form with -o"},
    {.name = "csv",
     OPTION_INTO(struct grid_options, csv),
     .help = "comma-separated values: a line an order, or a rank"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "grid order",
    .about =
        "Orders the ranks of a Cartesian grid such that every node, in "
        "turn, gets a block of neighbours, and prints the order; or tells, by "
        "what was recorded, what orders keep on the nodes.",
    .operands = operands,
    .groups = {{rows, 0}},
};

/* A box of the grid's dimensions, when it is there. */
static int take_box(uint32_t *out,
                    uint32_t *ndims,
                    const char *text,
                    const char *what,
                    const char *example)
{
    if (text && !rank_order_take_box(out, ndims, MAPCORE_BLOCKS_DIMS, text))
        return tool_usage("grid order",
                          "%s is 1 to %d numbers from 1, such as %s, not '%s'",
                          what, MAPCORE_BLOCKS_DIMS, example, text);
    return TOOL_OK;
}

static int take_boxes(struct grid_options *out, uint32_t *nblock)
{
    struct mapcore_blocks *layout = &out->layout;
    int status;

    *nblock = 0;
    layout->clips = true;
    layout->first_fastest = out->order == RANKS_FIRST_FASTEST;
    if (!out->subject.words && !out->grid)
        return tool_usage("grid order", "GRID is missing");
    if (!out->subject.words && !out->block)
        return tool_usage("grid order", "--block is missing");
    if (!out->subject.words && out->per > 0)
        return tool_usage("grid order", "--tasks-per-node goes with --profile; "
                                        "--block says it here");
    if (out->block && out->per > 0)
        return tool_usage("grid order", "either --block or --tasks-per-node");
    if (!out->grid && out->order == RANKS_FIRST_FASTEST)
        return tool_usage("grid order", "--order goes with GRID");
    status =
        take_box(layout->grid, &layout->ndims, out->grid, "a grid", "8x8x4");
    if (status == TOOL_OK)
        status =
            take_box(layout->block, nblock, out->block, "a block", "2x2x4");
    if (status == TOOL_OK && out->grid && out->block &&
        *nblock != layout->ndims)
        status = tool_usage("grid order",
                            "a grid of %" PRIu32 " dimensions, but a block of "
                            "%" PRIu32,
                            layout->ndims, *nblock);
    return status;
}

/* The nodes, if they are known, must be as many as are needed. */
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
                         "the order is for %" PRIu32
                         " nodes, but the list has %zu",
                         nplaces, nodes->n);
    return 0;
}

/* To -o, or to stdout where nothing else goes there. */
static int write_order(const struct grid_options *options,
                       const uint32_t *rank,
                       uint32_t ntasks,
                       uint32_t per,
                       struct mapcore_error *err)
{
    struct tool_output output = {0};
    struct hosts nodes = {0};
    int error =
        take_nodes(&nodes, options->nodelist, (ntasks - 1) / per + 1, err);

    if (error == 0 && options->output)
        error = tool_output_open(&output, options->output, err);
    if (error == 0)
        error = rank_order_write(
            &(struct rank_order){rank, ntasks, per,
                                 nodes.n > 0 ? (const char *const *)nodes.name
                                             : NULL},
            options->form, output.file ? output.file : stdout, err);
    if (error == 0 && output.file)
        error = tool_output_commit(&output, err);
    tool_output_abandon(&output);
    hosts_clear(&nodes);
    return error;
}

static bool is_for_programs(const struct grid_options *options)
{
    return options->json || options->csv;
}

static int order(const struct grid_options *options, struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &options->layout;
    uint32_t per, ntasks = 1, *rank = NULL;
    int error = mapcore_blocks_check(NULL, &per, layout, err);

    if (error < 0)
        return error;
    for (uint32_t i = 0; i < layout->ndims; i++)
        ntasks *= layout->grid[i];
    rank = array_alloc(ntasks, sizeof(*rank), err);
    if (!rank)
        return MAPCORE_ENOMEM;
    mapcore_blocks_order(rank, layout);
    for (uint32_t i = 0; i < layout->ndims; i++)
        if (layout->grid[i] % layout->block[i] != 0) {
            tool_note("blocks of %s do not divide %s: some nodes hold parts of "
                      "several",
                      options->block, options->grid);
            break;
        }
    if (!is_for_programs(options) || options->output)
        error = write_order(options, rank, ntasks, per, err);
    if (error == 0 && is_for_programs(options))
        error =
            grid_print_json(&(struct grid_answer){NULL, NULL, layout, rank,
                                                  ntasks, per, options->output},
                            options->csv, err);
    free(rank);
    return error;
}

/* Tasks of a node: what was said, or the block has, or was recorded. */
static int find_per_node(uint32_t *out,
                         const struct grid_options *options,
                         const struct mapcore_blocks *layout,
                         struct mapcore_error *err)
{
    const struct profile *profile = options->subject.profile;

    if (options->block)
        return mapcore_blocks_check(NULL, out, layout, err);
    *out = options->per;
    if (*out == 0 && profile && profile->hosts > 0)
        *out = (profile->ntasks - 1) / profile->hosts + 1;
    if (*out > 0)
        return 0;
    return error_set(err, MAPCORE_EINVAL,
                     "on how many nodes it ran was not recorded: "
                     "--tasks-per-node says how many tasks each has");
}

static int advise(struct grid_options *options,
                  uint32_t nblock,
                  struct mapcore_error *err)
{
    struct mapcore_blocks *layout = &options->layout;
    struct grid_subject *subject = &options->subject;
    struct grid_advice advice = {.rank = NULL};
    bool to_stdout = options->output && strcmp(options->output, "-") == 0;
    uint32_t per;
    int error = grid_subject_open(subject, layout, err);

    if (error == 0 && options->block && nblock != layout->ndims)
        error = error_set(err, MAPCORE_EINVAL,
                          "a grid of %" PRIu32 " dimensions, but a block of "
                          "%" PRIu32,
                          layout->ndims, nblock);
    if (error == 0)
        error = find_per_node(&per, options, layout, err);
    if (error == 0)
        error = grid_advise(&advice, subject, layout, per,
                            options->block != NULL, err);
    if (error == 0 && options->output)
        error = write_order(options, advice.rank, advice.ntasks, per, err);
    if (error == 0 && is_for_programs(options))
        error = grid_print_json(
            &(struct grid_answer){&advice, subject, layout, advice.rank,
                                  advice.ntasks, per, options->output},
            options->csv, err);
    else if (error == 0 && !to_stdout)
        grid_print_advice(&advice, subject, layout, per);
    free(advice.rank);
    return error;
}

int grid_order_main(int argc, char **argv)
{
    struct grid_options options = {.form = MAPCORE_MAPPING_MPICH};
    struct mapcore_error err;
    uint32_t nblock;
    int status, error;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = take_boxes(&options, &nblock);
    if (status == TOOL_OK && is_for_programs(&options) && options.output &&
        strcmp(options.output, "-") == 0)
        status = tool_usage("grid order", "--%s and -o - both go to stdout",
                            options.json ? "json" : "csv");
    if (status == TOOL_OK) {
        error = options.subject.words ? advise(&options, nblock, &err)
                                      : order(&options, &err);
        status = error < 0 ? tool_fail("%s", err.text) : TOOL_OK;
    }
    grid_subject_close(&options.subject);
    return status;
}
