/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* order_main.c - topomap grid order: rank orders that give every node a block
 * of a grid */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/hosts.h"
#include "tools/grid/grid_order.h"
#include "tools/rank_order.h"
#include "tools/table/answer.h"

#include <stdlib.h>
#include <string.h>

struct grid_options {
    struct grid_order order;
    const char *grid, *block, *nodelist, *output;
    enum mapcore_plan_form form;
    enum rank_direction direction;
    struct answer_form answer;
};

static const struct option_row operands[] = {
    {OPTION_NAMED("GRID", struct grid_options, grid)},
    {.name = NULL},
};

static const struct option_row rows[] = {
    {OPTION_TAKES("block", "BLOCK", struct grid_options, block)},
    {OPTION_TAKES("profile", "PROFILE", struct grid_options, order.words)},
    {OPTION_TAKES("graph", "NAME", struct grid_options, order.graph_name)},
    {OPTION_TAKES("tasks-per-node", "K", struct grid_options, order.per),
     .min = 1, .max = INT32_MAX},
    {OPTION_TAKES("catalogue", "DIR", struct grid_options, order.catalogues)},
    {OPTION_TAKES("config", "FILE", struct grid_options, order.config)},
    {OPTION("order", "WHICH"),
     OPTION_WORD_INTO(struct grid_options, direction, rank_order_directions),
     .shows_default = true},
    {OPTION("to", "FORM"),
     OPTION_WORD_INTO(struct grid_options, form, rank_order_forms),
     .shows_default = true},
    {OPTION_TAKES("nodelist", "NODES", struct grid_options, nodelist)},
    {OPTION_TAKES("output", "FILE", struct grid_options, output),
     .letter = 'o'},
    {OPTION_NAMED("json", struct grid_options, answer.json)},
    {OPTION_NAMED("csv", struct grid_options, answer.csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "grid order",
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

static int take_boxes(struct grid_options *out)
{
    struct grid_order *order = &out->order;
    struct mapcore_blocks *layout = &order->layout;
    const char *why =
        !order->words && !out->grid    ? "GRID is missing"
        : !order->words && !out->block ? "--block is missing"
        : !order->words && order->per > 0
            ? "--tasks-per-node goes with --profile; --block says it here"
        : out->block && order->per > 0 ? "either --block or --tasks-per-node"
        : !out->grid && out->direction == RANKS_FIRST_FASTEST
            ? "--order goes with GRID"
            : NULL;
    int status = why ? tool_usage("grid order", "%s", why) : TOOL_OK;

    layout->clips = true;
    layout->first_fastest = out->direction == RANKS_FIRST_FASTEST;
    if (status == TOOL_OK)
        status = take_box(layout->grid, &layout->ndims, out->grid, "a grid",
                          "8x8x4");
    if (status == TOOL_OK)
        status = take_box(layout->block, &order->nblock, out->block, "a block",
                          "2x2x4");
    if (status == TOOL_OK && out->grid && out->block &&
        order->nblock != layout->ndims)
        status = tool_usage("grid order",
                            "a grid of %u dimensions, but a block of %u",
                            layout->ndims, order->nblock);
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
                         "the order is for %u nodes, but the list has %zu",
                         nplaces, nodes->n);
    return 0;
}

/* To -o, or to stdout where nothing else goes there. */
static int write_order(const struct grid_options *options,
                       struct mapcore_error *err)
{
    const struct grid_order *order = &options->order;
    struct tool_output output = {0};
    struct hosts nodes = {0};
    int error = take_nodes(&nodes, options->nodelist,
                           (order->ntasks - 1) / order->per + 1, err);

    if (error == 0)
        error = tool_output_open(&output, options->output, err);
    if (error == 0)
        error = rank_order_write(
            &(struct rank_order){order->rank, order->ntasks, order->per,
                                 nodes.n > 0 ? (const char *const *)nodes.name
                                             : NULL},
            options->form, output.file, err);
    error = tool_output_end(&output, error, err);
    hosts_clear(&nodes);
    return error;
}

/* By blocks that are given, of ranks that count through the grid. */
static int lay_blocks(const struct grid_options *options,
                      struct grid_order *order,
                      struct mapcore_error *err)
{
    const struct mapcore_blocks *layout = &order->layout;
    bool divides = true;
    int error = mapcore_blocks_check(NULL, &order->per, layout, err);

    if (error < 0)
        return error;
    order->ntasks = 1;
    for (uint32_t i = 0; i < layout->ndims; i++) {
        order->ntasks *= layout->grid[i];
        divides = divides && layout->grid[i] % layout->block[i] == 0;
    }
    order->rank = array_alloc(order->ntasks, sizeof(*order->rank), err);
    if (!order->rank)
        return MAPCORE_ENOMEM;
    mapcore_blocks_order(order->rank, layout);
    if (!divides)
        tool_note("blocks of %s do not divide %s: some nodes hold parts of "
                  "several",
                  options->block, options->grid);
    return 0;
}

/* The orders side by side, and how many fewer bytes leave nodes than with ranks
 * in a row, 0 .. 1; negative when there are more. */
static void put_advice(struct json_writer *writer,
                       const struct grid_order *order)
{
    static const char *const names[GRID_ORDERS] = {
        "smp", "round-robin", "folded", "block", "best-block"};
    uint64_t bytes = mapcore_graph_bytes(order->graph);
    uint64_t smp = bytes - order->order[GRID_SMP].on_node;
    uint64_t ours = bytes - order->order[order->chosen].on_node;
    double mpi = order->profile ? profile_mpi_share(order->profile) : -1;

    json_put_string(writer, order->profile ? "program" : "graph",
                    order->profile ? order->profile->program : order->words);
    if (order->explained >= 0)
        json_put_double(writer, "explained_share", order->explained);
    json_put_u64(writer, "bytes", bytes);
    json_begin_array(writer, "orders");
    for (int o = 0; o < GRID_ORDERS; o++) {
        uint64_t on_node = order->order[o].on_node;

        if (!order->order[o].is_there)
            continue;
        json_begin_object(writer, NULL);
        json_put_string(writer, "order", names[o]);
        if (o >= GRID_GIVEN)
            json_put_numbers(writer, "block", order->order[o].block,
                             order->layout.ndims);
        json_put_u64(writer, "on_node_bytes", on_node);
        json_put_double(writer, "on_node_share",
                        bytes > 0 ? (double)on_node / (double)bytes : 0);
        json_put_bool(writer, "is_chosen", o == (int)order->chosen);
        json_end_object(writer);
    }
    json_end_array(writer);
    json_put_string(writer, "chosen", names[order->chosen]);
    json_put_double(writer, "fewer_off_node_share",
                    smp > 0 ? 1 - (double)ours / (double)smp : 0);
    if (mpi >= 0)
        json_put_double(writer, "mpi_share", mpi);
}

/* For people, as JSON, or as CSV: the orders, or, without a profile, the
 * ranks. */
static int print(const struct grid_options *options, struct mapcore_error *err)
{
    const struct grid_order *order = &options->order;
    const struct mapcore_blocks *layout = &order->layout;
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, &options->answer, "order",
                     order->graph ? "orders" : "ranks");

    json_put_u64(writer, "ntasks", order->ntasks);
    json_put_u64(writer, "tasks_per_node", order->per);
    json_put_u64(writer, "nodes", (order->ntasks - 1) / order->per + 1);
    json_put_numbers(writer, "grid", layout->grid, layout->ndims);
    if (order->graph)
        put_advice(writer, order);
    else
        json_put_numbers(writer, "block", layout->block, layout->ndims);
    json_put_numbers(writer, "ranks", order->rank, order->ntasks);
    if (options->output)
        json_put_string(writer, "output", options->output);
    return answer_end(&answer, 0, err);
}

static int run(struct grid_options *options, struct mapcore_error *err)
{
    struct grid_order *order = &options->order;
    bool for_programs = answer_word(&options->answer) != NULL;
    bool advises = order->words != NULL;
    int error = advises ? grid_order_advise(order, err)
                        : lay_blocks(options, order, err);

    if (error == 0 && (options->output || !(for_programs || advises)))
        error = write_order(options, err);
    if (error == 0 &&
        (for_programs ||
         (advises && !(options->output && strcmp(options->output, "-") == 0))))
        error = print(options, err);
    return error;
}

int grid_order_main(int argc, char **argv, struct mapcore_error *err)
{
    struct grid_options options = {.form = MAPCORE_PLAN_MPICH};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = take_boxes(&options);
    if (status == TOOL_OK && answer_word(&options.answer) && options.output &&
        strcmp(options.output, "-") == 0)
        status = tool_usage("grid order", "--%s and -o - both go to stdout",
                            answer_word(&options.answer));
    if (status == TOOL_OK)
        status = run(&options, err);
    grid_order_clear(&options.order);
    return status;
}
