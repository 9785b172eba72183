/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_main.c - topomap grid: rank orders that give every node a block of a
 * grid */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/hosts.h"
#include "cart/blocks.h"
#include "tools/rank_order.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

struct grid_options {
    struct mapcore_blocks layout;
    const char *grid, *block, *nodelist, *output;
    enum mapcore_mapping_form form;
    enum rank_direction order;
};

static const struct option_row operands[] = {
    {.name = "GRID",
     OPTION_INTO(struct grid_options, grid),
     .required = true,
     .help = "tasks along each dimension: 8x8x4"},
    {.name = NULL},
};

static const struct option_row rows[] = {
    {.name = "per-node",
     .argument = "BLOCK",
     OPTION_INTO(struct grid_options, block),
     .required = true,
     .help = "tasks of a node along each dimension: 2x2x4"},
    {.name = "order",
     .argument = "WHICH",
     OPTION_WORD_INTO(struct grid_options, order, rank_order_directions),
     .shows_default = true,
     .help = "the dimension along which ranks run"},
    {.name = "to",
     .was = "format",
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
     .help = "write it there instead of to stdout"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "grid",
    .about = "Orders the ranks of a Cartesian grid such that every node, in "
             "turn, gets a block of neighbours, and prints the order.",
    .operands = operands,
    .groups = {{rows, 0}},
};

/* The two boxes, once both are there. */
static int take_boxes(struct grid_options *out)
{
    struct mapcore_blocks *layout = &out->layout;
    uint32_t n;

    layout->first_fastest = out->order == RANKS_FIRST_FASTEST;
    if (!rank_order_take_box(layout->grid, &layout->ndims, MAPCORE_BLOCKS_DIMS,
                             out->grid))
        return tool_usage("grid",
                          "a grid is 1 to %d numbers from 1, such as 8x8x4, "
                          "not '%s'",
                          MAPCORE_BLOCKS_DIMS, out->grid);
    if (!rank_order_take_box(layout->block, &n, MAPCORE_BLOCKS_DIMS,
                             out->block))
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
    int error = mapcore_blocks_check(&nplaces, &nper, &options->layout, err);

    if (error < 0 ||
        (error = take_nodes(&nodes, options->nodelist, nplaces, err)) < 0)
        goto out;
    rank = array_alloc((size_t)nplaces * nper, sizeof(*rank), err);
    error = rank ? 0 : MAPCORE_ENOMEM;
    if (error < 0)
        goto out;
    mapcore_blocks_order(rank, &options->layout);
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
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = take_boxes(&options);
    if (status != TOOL_OK)
        return status;
    if (order(&options, &err) < 0)
        return tool_fail("%s", err.text);
    return TOOL_OK;
}
