/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_main.c - topomap grid select: the options, and what is said against
 * them */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/text.h"
#include "tools/grid/select_print.h"
#include "tools/rank_order.h"

#include <stdlib.h>
#include <string.h>

enum {
    MAX_BEST = 1000,
};

struct select_options {
    struct routers_source source;
    struct selection selection;
    enum select_output output_form;
    enum rank_direction order;
    const char *grid, *block, *axes, *weights, *tiles, *periodic;
    const char *output;
    bool json, csv;
    uint32_t best, choice, split; /* but best, 0: not said */
};

static const struct option_row rows[] = {
    {OPTION_TAKES("nodes-per-router",
                  "N",
                  struct select_options,
                  selection.per_router),
     .min = 1, .max = INT32_MAX},
    {OPTION_TAKES("grid", "GRID", struct select_options, grid),
     .required = true},
    {OPTION_TAKES("block", "BLOCK", struct select_options, block)},
    {OPTION_TAKES("split", "D", struct select_options, split), .min = 1,
     .max = MAPCORE_BLOCKS_DIMS},
    {OPTION_TAKES("axes", "AXES", struct select_options, axes)},
    {OPTION_TAKES("weights", "W,W,...", struct select_options, weights)},
    {OPTION_TAKES("tiles", "AxB", struct select_options, tiles)},
    {OPTION_NAMED("stagger", struct select_options, selection.layout.staggers)},
    {OPTION_TAKES("periodic", "B,B,...", struct select_options, periodic)},
    {OPTION("order", "WHICH"),
     OPTION_WORD_INTO(struct select_options, order, rank_order_directions),
     .shows_default = true},
    {OPTION_NAMED("any", struct select_options, selection.any)},
    {OPTION_TAKES("spare", "N", struct select_options, selection.spare),
     .min = 1, .max = INT32_MAX},
    {OPTION_TAKES("show", "K", struct select_options, best),
     .shows_default = true, .min = 1, .max = MAX_BEST},
    {OPTION_TAKES("choice", "I", struct select_options, choice), .min = 1,
     .max = MAX_BEST},
    {OPTION("to", "FORM"),
     OPTION_WORD_INTO(struct select_options, output_form, select_outputs),
     .shows_default = true},
    {OPTION_NAMED("json", struct select_options, json)},
    {OPTION_NAMED("csv", struct select_options, csv)},
    {OPTION_TAKES("output", "FILE", struct select_options, output),
     .letter = 'o'},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "grid select",
    .groups = {{routers_rows, offsetof(struct select_options, source)},
               {rows, 0}},
};

/* A letter a dimension. */
static int take_axes(struct selection *selection, const char *text)
{
    struct mapcore_blocks *layout = &selection->layout;
    unsigned taken = 0;

    if (strlen(text) != layout->ndims || strspn(text, "xyz-") != layout->ndims)
        return tool_usage(
            "grid select",
            "--axes wants x, y, z or - for each of %u dimensions, not '%s'",
            layout->ndims, text);
    for (uint32_t i = 0; i < layout->ndims; i++) {
        unsigned axis = text[i] == '-' ? 3 : (unsigned)(text[i] - 'x');

        if (axis < 3 && (taken & 1u << axis) != 0)
            return tool_usage("grid select",
                              "--axes %s: two dimensions along %c", text,
                              text[i]);
        if (axis == 3 && layout->grid[i] != layout->block[i])
            return tool_usage(
                "grid select",
                "--axes %s: dimension %u is not inside a router: its %u tasks are in blocks of %u",
                text, i + 1, layout->grid[i], layout->block[i]);
        taken |= 1u << axis;
        layout->axis[i] = axis;
    }
    selection->has_axes = true;
    return TOOL_OK;
}

static int take_weights(struct mapcore_blocks *layout, const char *text)
{
    const char *rest = text;
    uint32_t n = 0;

    for (; rest && n < layout->ndims; n++) {
        char item[RANK_ORDER_ITEM];

        rank_order_next_item(item, &rest);
        if (!text_parse_double(item, &layout->weight[n]) ||
            layout->weight[n] < 0 || layout->weight[n] > 1e300)
            break;
    }
    if (!rest && n == layout->ndims)
        return TOOL_OK;
    return tool_usage(
        "grid select",
        "--weights wants %u numbers with commas between, not '%s'",
        layout->ndims, text);
}

static int take_periodic(struct selection *selection, const char *text)
{
    uint32_t n = selection->only_nodes ? 3 : selection->layout.ndims;

    if (routers_take_periodic(selection->layout.periodic, n, text))
        return TOOL_OK;
    return tool_usage(
        "grid select",
        "--periodic wants %u times 0 or 1 with commas between, not '%s'", n,
        text);
}

static int take_tiles(struct selection *selection, const char *text)
{
    struct mapcore_blocks *layout = &selection->layout;
    uint32_t n;

    selection->any_tiles = strcmp(text, "auto") == 0;
    layout->tiles[0] = layout->tiles[1] = 1;
    if (!selection->any_tiles &&
        (!rank_order_take_box(layout->tiles, &n, 2, text) || n != 2))
        return tool_usage("grid select", "--tiles wants AxB or auto, not '%s'",
                          text);
    if (layout->ndims != 2)
        return tool_usage("grid select",
                          "--tiles are for a grid of 2 dimensions, not %u",
                          layout->ndims);
    layout->tiled = true;
    if (!selection->has_axes)
        layout->axis[1] = 2;
    return TOOL_OK;
}

static int take_size(struct select_options *out)
{
    struct selection *selection = &out->selection;
    struct mapcore_blocks *layout = &selection->layout;
    uint32_t n;

    if (out->axes || out->tiles || out->weights || out->split > 0 ||
        selection->any)
        return tool_usage("grid select",
                          "--grid takes routers without --block: no --axes, "
                          "--tiles, --weights, --split or --any");
    if (!rank_order_take_box(layout->grid, &n, 3, out->grid) || n != 3)
        return tool_usage("grid select",
                          "--grid without --block wants NXxNYxNZ, not '%s'",
                          out->grid);
    for (uint32_t i = 0; i < 4; i++) {
        layout->block[i] = 1;
        layout->axis[i] = i;
    }
    layout->grid[3] = 1;
    layout->ndims = 4;
    selection->has_axes = selection->only_nodes = true;
    if (out->output_form >= SELECT_HOSTFILE)
        return tool_usage("grid select",
                          "ranks have an order only with --block");
    return TOOL_OK;
}

static int take_grid(struct select_options *out)
{
    struct mapcore_blocks *layout = &out->selection.layout;
    uint32_t n;

    if (!rank_order_take_box(layout->grid, &layout->ndims, MAPCORE_BLOCKS_DIMS,
                             out->grid))
        return tool_usage("grid select",
                          "--grid wants 1 to %d numbers from 1, such as "
                          "8x8x4, not '%s'",
                          MAPCORE_BLOCKS_DIMS, out->grid);
    if (!rank_order_take_box(layout->block, &n, MAPCORE_BLOCKS_DIMS,
                             out->block))
        return tool_usage("grid select",
                          "--block wants a block such as 2x2x4, not '%s'",
                          out->block);
    if (n != layout->ndims)
        return tool_usage("grid select",
                          "a grid of %u dimensions, but a block of %u",
                          layout->ndims, n);
    if (out->split > layout->ndims)
        return tool_usage("grid select",
                          "--split %u, but the grid has %u dimensions",
                          out->split, layout->ndims);
    return TOOL_OK;
}

/* What does not go together. */
static int check_options(const struct select_options *options)
{
    const struct mapcore_blocks *layout = &options->selection.layout;
    bool any = options->selection.any, spare = options->selection.spare > 0;

    if (layout->tiled && options->axes && strchr(options->axes, '-'))
        return tool_usage("grid select", "--tiles lie along two axes, not '%s'",
                          options->axes);
    const char *why =
        layout->staggers && !layout->tiled ? "--stagger needs --tiles"
        : layout->tiled && any ? "--tiles go to planes of their own: no --any"
        : spare && any         ? "--any takes all nodes: no --spare"
        : spare && (options->output_form == SELECT_MAPPING ||
                    options->output_form == SELECT_MPICH)
            ? "with --spare the list of nodes is longer than that of ranks: "
              "--to hostfile or rankfile names nodes"
            : NULL;
    return why ? tool_usage("grid select", "%s", why) : TOOL_OK;
}

static int take_options(struct select_options *out)
{
    struct selection *selection = &out->selection;
    int status;

    if (out->json)
        out->output_form = SELECT_JSON;
    if (out->csv)
        out->output_form = SELECT_CSV;
    selection->layout.first_fastest = out->order == RANKS_FIRST_FASTEST;
    selection->split = out->split > 0 ? out->split - 1 : MAPCORE_NONE;
    selection->keeps_order = out->source.from_job;
    selection->best = out->choice > out->best ? out->choice : out->best;
    for (int i = 0; i < MAPCORE_BLOCKS_DIMS; i++)
        selection->layout.weight[i] = 1;
    status = routers_check_options(&out->source, "grid select");
    if (status == TOOL_OK)
        status = out->block ? take_grid(out) : take_size(out);
    if (status == TOOL_OK && out->axes)
        status = take_axes(selection, out->axes);
    if (status == TOOL_OK && out->weights)
        status = take_weights(&selection->layout, out->weights);
    if (status == TOOL_OK && out->periodic)
        status = take_periodic(selection, out->periodic);
    if (status == TOOL_OK && out->tiles)
        status = take_tiles(selection, out->tiles);
    return status == TOOL_OK ? check_options(out) : status;
}

/* Fiedler and Whalen, section II.D: best all of a ring, or its ends talk
 * through everything else. */
static void warn_of_parts(const struct select_choice *choice,
                          const struct routers *routers)
{
    const struct mapcore_blocks *layout = &choice->layout;

    for (uint32_t i = 0; i < layout->ndims && !choice->curve; i++) {
        uint32_t axis = layout->axis[i];

        if (!layout->periodic[i] || mapcore_blocks_along(layout, i) < 3)
            continue;
        uint32_t size = choice->prism.size[axis], ring = routers->dims[axis];
        if (layout->tiled)
            tool_note(
                "dimension %u is periodic, but the super-tiles of its two ends do not meet where they are folded",
                i + 1);
        else if (size < ring || !routers->wraps[axis])
            tool_note(
                "dimension %u is periodic and takes %u of %u routers along %c: its ends talk through %s",
                i + 1, size, ring, "xyz"[axis],
                routers -> wraps[axis] && size * 2 > ring
                               ? "routers that are not the job's"
                               : "all that lies between");
    }
}

static int run(struct select_options *options, struct mapcore_error *err)
{
    struct routers routers = {.err = err};
    struct selection *selection = &options->selection;
    struct tool_output output = {0};
    size_t choice = options->choice > 0 ? options->choice - 1 : 0;
    int error = routers_open(&routers, &options->source);

    if (error < 0)
        return error;
    selection->routers = &routers;
    selection->err = err;
    if ((error = select_nodes(selection)) < 0)
        goto out;
    if (choice >= selection->n) {
        error =
            error_set(err, MAPCORE_ENOENT, "choice %zu of %zu that were found",
                      choice + 1, selection->n);
        goto out;
    }
    warn_of_parts(&selection->choice[choice], &routers);
    error = tool_output_open(&output, options->output, err);
    if (error == 0)
        error = tool_output_end(
            &output,
            select_print(selection, options->output_form, choice, output.file),
            err);
out:
    select_clear(selection);
    routers_clear(&routers);
    return error;
}

int grid_select_main(int argc, char **argv, struct mapcore_error *err)
{
    struct select_options options = {.best = 1};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = take_options(&options);
    return status != TOOL_OK ? status : run(&options, err);
}
