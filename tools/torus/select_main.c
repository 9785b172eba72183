/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_main.c - topomap select: the options, and what is said against them */
#include "config.h"

#include "tools/tool.h"

#include "base/text.h"
#include "tools/torus/rank_order.h"
#include "tools/torus/select_print.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: topomap select --topology SPEC --grid GRID --block BLOCK "
    "[OPTION]...\n"
    "       topomap select --topology SPEC --size NXxNYxNZ [OPTION]...\n\n"
    "Chooses nodes of a 3-D torus for a Cartesian grid: a box of routers around\n"
    "those that cannot be used, whose neighbours are close; and orders the ranks\n"
    "such that neighbours in the grid are neighbours in the torus.\n\n" ROUTERS_HELP
    "  --nodes-per-router N  leave out routers with fewer; default: the most\n"
    "                     that any router has\n\n"
    "  --grid GRID        tasks along each dimension: 14x14x21x16\n"
    "  --block BLOCK      tasks of a router along each dimension: 1x2x1x16\n"
    "  --split D          the dimension, from 1, that the nodes of a router "
    "divide\n"
    "  --axes AXES        the axis of each dimension, - for those inside a "
    "router:\n"
    "                     xzy-; default: the best\n"
    "  --weights W,W,...  bytes between neighbours along each dimension\n"
    "  --tiles AxB        a grid of two dimensions in super-tiles, folded;\n"
    "                     --axes are those of a tile (default xz)\n"
    "  --stagger          layers of tiles displaced by one router\n"
    "  --periodic B,B,... 1 where neighbours go round the end, else 0\n"
    "  --order WHICH      the dimension along which ranks run: last (default)\n"
    "                     or first\n"
    "  --size NXxNYxNZ    routers along each axis, instead of a grid\n"
    "  --any              no box: take the nodes as they are, only order ranks\n\n"
    "  --best K           the K best choices\n"
    "  --choice I         which of them --format writes, from 1\n"
    "  --format FORM      nodelist, hosts (one a line), srun (options for it),\n"
    "                     json; ranks: mapping, hostfile, rankfile, mpich;\n"
    "                     without it: what was found, and the nodes\n"
    "  -o, --output FILE  write it there instead of to stdout\n";

enum {
    MAX_BEST = 1000,
    OPTION_GRID = 1,
    OPTION_BLOCK,
    OPTION_SPLIT,
    OPTION_AXES,
    OPTION_WEIGHTS,
    OPTION_TILES,
    OPTION_STAGGER,
    OPTION_PERIODIC,
    OPTION_ORDER,
    OPTION_SIZE,
    OPTION_ANY,
    OPTION_BEST,
    OPTION_CHOICE,
    OPTION_FORMAT,
    OPTION_PER_ROUTER,
};

struct select_options {
    struct routers_source source;
    struct select_query query;
    struct select_form form;
    const char *grid, *block, *axes, *weights, *tiles, *periodic, *size;
    const char *output;
    uint64_t best, choice, split, per_router;
    bool help;
};

static int take_order(struct select_options *out, const char *text)
{
    if (strcmp(text, "first") != 0 && strcmp(text, "last") != 0)
        return tool_usage("select", "--order wants last or first, not '%s'",
                          text);
    out->query.layout.first_fastest = *text == 'f';
    return TOOL_OK;
}

static int take_number(uint64_t *out,
                       const char *option,
                       const char *text,
                       uint64_t most)
{
    return tool_take_u64("select", option, text, 1, most, out) ? TOOL_OK
                                                               : TOOL_USAGE;
}

static int take_option(struct select_options *out, int c, char **argv)
{
    switch (c) {
    case OPTION_GRID:
        out->grid = optarg;
        return TOOL_OK;
    case OPTION_BLOCK:
        out->block = optarg;
        return TOOL_OK;
    case OPTION_AXES:
        out->axes = optarg;
        return TOOL_OK;
    case OPTION_WEIGHTS:
        out->weights = optarg;
        return TOOL_OK;
    case OPTION_TILES:
        out->tiles = optarg;
        return TOOL_OK;
    case OPTION_PERIODIC:
        out->periodic = optarg;
        return TOOL_OK;
    case OPTION_SIZE:
        out->size = optarg;
        return TOOL_OK;
    case OPTION_STAGGER:
        out->query.layout.staggers = true;
        return TOOL_OK;
    case OPTION_ANY:
        out->query.any = true;
        return TOOL_OK;
    case OPTION_ORDER:
        return take_order(out, optarg);
    case OPTION_SPLIT:
        return take_number(&out->split, "--split", optarg, MAPCORE_GRID_DIMS);
    case OPTION_BEST:
        return take_number(&out->best, "--best", optarg, MAX_BEST);
    case OPTION_CHOICE:
        return take_number(&out->choice, "--choice", optarg, MAX_BEST);
    case OPTION_PER_ROUTER:
        return take_number(&out->per_router, "--nodes-per-router", optarg,
                           INT32_MAX);
    case OPTION_FORMAT:
        return select_take_form(&out->form, optarg);
    default:
        return routers_take_option(&out->source, c, optarg)
                   ? TOOL_OK
                   : tool_usage_getopt("select", c, argv);
    }
}

/* A letter a dimension. */
static int take_axes(struct select_query *query, const char *text)
{
    struct mapcore_grid_layout *layout = &query->layout;
    unsigned taken = 0;

    if (strlen(text) != layout->ndims || strspn(text, "xyz-") != layout->ndims)
        return tool_usage("select",
                          "--axes wants x, y, z or - for each of %" PRIu32
                          " dimensions, not '%s'",
                          layout->ndims, text);
    for (uint32_t i = 0; i < layout->ndims; i++) {
        unsigned axis = text[i] == '-' ? 3 : (unsigned)(text[i] - 'x');

        if (axis < 3 && (taken & 1u << axis) != 0)
            return tool_usage("select", "--axes %s: two dimensions along %c",
                              text, text[i]);
        if (axis == 3 && layout->grid[i] != layout->block[i])
            return tool_usage("select",
                              "--axes %s: dimension %" PRIu32
                              " is not inside a router: its %" PRIu32
                              " tasks are in blocks of %" PRIu32,
                              text, i + 1, layout->grid[i], layout->block[i]);
        taken |= 1u << axis;
        layout->axis[i] = axis;
    }
    query->has_axes = true;
    return TOOL_OK;
}

/* A number a dimension, with commas between. */
static int take_list(double *number,
                     const char *option,
                     const char *text,
                     uint32_t ndims)
{
    const char *p = text;

    for (uint32_t i = 0; i < ndims; i++) {
        char item[40];
        size_t n = strcspn(p, ",");

        if (n == 0 || n >= sizeof(item) || (p[n] == ',') != (i + 1 < ndims))
            break;
        memcpy(item, p, n);
        item[n] = '\0';
        if (!text_parse_double(item, &number[i]) || number[i] < 0 ||
            number[i] > 1e300)
            break;
        if (i + 1 == ndims)
            return TOOL_OK;
        p += n + 1;
    }
    return tool_usage("select",
                      "%s wants %" PRIu32 " numbers with commas between, not "
                      "'%s'",
                      option, ndims, text);
}

static int take_periodic(struct select_query *query, const char *text)
{
    uint32_t n = query->only_nodes ? 3 : query->layout.ndims;
    double flag[MAPCORE_GRID_DIMS];
    int error = take_list(flag, "--periodic", text, n);

    for (uint32_t i = 0; error == TOOL_OK && i < n; i++) {
        if (flag[i] < 0 || (flag[i] > 0 && flag[i] < 1) || flag[i] > 1)
            return tool_usage("select", "--periodic wants 0 or 1, not in '%s'",
                              text);
        query->layout.periodic[i] = flag[i] > 0;
    }
    return error;
}

static int take_tiles(struct select_query *query, const char *text)
{
    struct mapcore_grid_layout *layout = &query->layout;
    uint32_t n;

    if (!rank_order_take_box(layout->tiles, &n, 2, text) || n != 2)
        return tool_usage("select", "--tiles wants AxB, not '%s'", text);
    if (layout->ndims != 2)
        return tool_usage("select",
                          "--tiles are for a grid of 2 dimensions, not "
                          "%" PRIu32,
                          layout->ndims);
    layout->tiled = true;
    if (!query->has_axes)
        layout->axis[1] = 2;
    return TOOL_OK;
}

static int take_size(struct select_options *out)
{
    struct select_query *query = &out->query;
    uint32_t n;

    if (out->grid || out->block || out->axes || out->tiles || out->weights ||
        out->split > 0 || query->any)
        return tool_usage("select",
                          "--size takes routers as they are: no --grid, "
                          "--block, --axes, --tiles, --weights, --split or "
                          "--any");
    if (!rank_order_take_box(query->layout.grid, &n, 3, out->size) || n != 3)
        return tool_usage("select", "--size wants NXxNYxNZ, not '%s'",
                          out->size);
    for (uint32_t i = 0; i < 4; i++) {
        query->layout.block[i] = 1;
        query->layout.axis[i] = i;
    }
    query->layout.grid[3] = 1;
    query->layout.ndims = 4;
    query->has_axes = query->only_nodes = true;
    if (select_form_has_ranks(&out->form))
        return tool_usage("select", "ranks have an order only with --grid");
    return TOOL_OK;
}

static int take_grid(struct select_options *out)
{
    struct mapcore_grid_layout *layout = &out->query.layout;
    uint32_t n;

    if (!out->grid)
        return tool_usage("select", "--grid or --size is missing");
    if (!rank_order_take_box(layout->grid, &layout->ndims, MAPCORE_GRID_DIMS,
                             out->grid))
        return tool_usage("select",
                          "--grid wants 1 to %d numbers from 1, such as "
                          "8x8x4, not '%s'",
                          MAPCORE_GRID_DIMS, out->grid);
    if (!out->block)
        return tool_usage("select", "--block is missing");
    if (!rank_order_take_box(layout->block, &n, MAPCORE_GRID_DIMS, out->block))
        return tool_usage("select",
                          "--block wants a block such as 2x2x4, not '%s'",
                          out->block);
    if (n != layout->ndims)
        return tool_usage("select",
                          "a grid of %" PRIu32 " dimensions, but a block of "
                          "%" PRIu32,
                          layout->ndims, n);
    if (out->split > layout->ndims)
        return tool_usage("select",
                          "--split %" PRIu64 ", but the grid has %" PRIu32
                          " dimensions",
                          out->split, layout->ndims);
    return TOOL_OK;
}

static int check_options(struct select_options *out, int argc, char **argv)
{
    struct select_query *query = &out->query;
    int error;

    if (optind < argc)
        return tool_usage("select", "'%s' is not an option", argv[optind]);
    error = routers_check_options(&out->source, "select");
    if (error == TOOL_OK)
        error = out->size ? take_size(out) : take_grid(out);
    if (error == TOOL_OK && out->axes)
        error = take_axes(query, out->axes);
    if (error == TOOL_OK && out->weights)
        error = take_list(query->weight, "--weights", out->weights,
                          query->layout.ndims);
    if (error == TOOL_OK && out->periodic)
        error = take_periodic(query, out->periodic);
    if (error == TOOL_OK && out->tiles)
        error = take_tiles(query, out->tiles);
    if (error != TOOL_OK)
        return error;
    if (query->layout.staggers && !query->layout.tiled)
        return tool_usage("select", "--stagger needs --tiles");
    if (query->layout.tiled && query->any)
        return tool_usage("select",
                          "--tiles go to planes of their own: no --any");
    if (query->layout.tiled && out->axes && strchr(out->axes, '-'))
        return tool_usage("select", "--tiles lie along two axes, not '%s'",
                          out->axes);
    if (out->split > 0)
        query->split = (uint32_t)out->split - 1;
    query->per_router = (uint32_t)out->per_router;
    query->keeps_order = out->source.from_job;
    query->best = (size_t)(out->choice > out->best ? out->choice : out->best);
    return TOOL_OK;
}

static int parse_options(struct select_options *out, int argc, char **argv)
{
    static const struct option longs[] = {
        ROUTERS_OPTIONS,
        {"nodes-per-router", required_argument, NULL, OPTION_PER_ROUTER},
        {"grid", required_argument, NULL, OPTION_GRID},
        {"block", required_argument, NULL, OPTION_BLOCK},
        {"split", required_argument, NULL, OPTION_SPLIT},
        {"axes", required_argument, NULL, OPTION_AXES},
        {"weights", required_argument, NULL, OPTION_WEIGHTS},
        {"tiles", required_argument, NULL, OPTION_TILES},
        {"stagger", no_argument, NULL, OPTION_STAGGER},
        {"periodic", required_argument, NULL, OPTION_PERIODIC},
        {"order", required_argument, NULL, OPTION_ORDER},
        {"size", required_argument, NULL, OPTION_SIZE},
        {"any", no_argument, NULL, OPTION_ANY},
        {"best", required_argument, NULL, OPTION_BEST},
        {"choice", required_argument, NULL, OPTION_CHOICE},
        {"format", required_argument, NULL, OPTION_FORMAT},
        {"output", required_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    int c, error = TOOL_OK;

    opterr = 0;
    while (error == TOOL_OK &&
           (c = getopt_long(argc, argv, ":ho:", longs, NULL)) != -1) {
        if (c == 'h') {
            out->help = true;
            return TOOL_OK;
        }
        if (c == 'o')
            out->output = optarg;
        else
            error = take_option(out, c, argv);
    }
    return error == TOOL_OK ? check_options(out, argc, argv) : error;
}

/* Fiedler and Whalen, section II.D: best all of a ring, or its ends talk
 * through everything else. */
static void warn_of_parts(const struct select_choice *choice,
                          const struct mapcore_grid_layout *layout,
                          const struct routers *routers)
{
    for (uint32_t i = 0; i < layout->ndims && !choice->curve; i++) {
        uint32_t blocks = layout->grid[i] / layout->block[i];
        uint32_t axis = choice->axis[i];

        if (!layout->periodic[i] || blocks < 3)
            continue;
        if (layout->tiled) {
            tool_note("dimension %" PRIu32 " is periodic, but the super-tiles "
                      "of its two ends do not meet where they are folded",
                      i + 1);
            continue;
        }
        if (choice->size[axis] == routers->dims[axis] && routers->wraps[axis])
            continue;
        tool_note("dimension %" PRIu32 " is periodic and takes %" PRIu32
                  " of %" PRIu32 " routers along %c: its ends talk through %s",
                  i + 1, choice->size[axis], routers->dims[axis], "xyz"[axis],
                  routers -> wraps[axis] && choice -> size[axis] * 2 > routers
                  -> dims[axis] ? "routers that are not the job's"
                                : "all that lies between");
    }
}

static int run(const struct select_options *options, struct mapcore_error *err)
{
    struct routers routers = {0};
    struct selection selection = {0};
    struct tool_output output = {0};
    uint64_t choice = options->choice > 0 ? options->choice : 1;
    int error = routers_open(&routers, &options->source, err);

    if (error < 0)
        return error;
    if ((error = select_nodes(&selection, &options->query, &routers, err)) < 0)
        goto out;
    if (choice > selection.n) {
        error = error_set(err, MAPCORE_ENOENT,
                          "choice %" PRIu64 " of %zu that were found", choice,
                          selection.n);
        goto out;
    }
    warn_of_parts(&selection.choice[choice - 1], &options->query.layout,
                  &routers);
    if (options->output &&
        (error = tool_output_open(&output, options->output, err)) < 0)
        goto out;
    error = select_print(&selection, &options->form, (size_t)choice - 1,
                         &options->query, &routers,
                         output.file ? output.file : stdout, err);
    if (error == 0 && output.file)
        error = tool_output_commit(&output, err);
out:
    tool_output_abandon(&output);
    select_clear(&selection);
    routers_clear(&routers);
    return error;
}

int select_main(int argc, char **argv)
{
    struct select_options options = {
        .best = 1,
        .query = {.split = MAPCORE_NONE, .weight = {1, 1, 1, 1, 1, 1}}};
    struct mapcore_error err;
    int error = parse_options(&options, argc, argv);

    if (error != TOOL_OK)
        return error;
    if (options.help) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    return run(&options, &err) < 0 ? tool_fail("%s", err.text) : TOOL_OK;
}
