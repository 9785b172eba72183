/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims_main.c - topomap dims: how to cut a grid up for a machine of several
 * levels */
#include "config.h"

#include "tools/tool.h"

#include "base/array.h"
#include "base/text.h"
#include "cart/dims.h"
#include "json/json.h"

#include <getopt.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "usage: topomap dims --levels N[,N]... --ndims D [OPTION]...\n"
    "       topomap dims --bandwidth B,B,... [--exchange WHEN] [--json]\n\n"
    "Cuts a Cartesian grid of D dimensions up on every level of a machine, the\n"
    "outermost first, so that few bytes cross the outer levels, and prints the\n"
    "tasks along each dimension, then the factors of each level.\n\n"
    "  --levels N,N,...    pieces on each level: 625 nodes of 24 cores are\n"
    "                      625,24\n"
    "  --ndims D           dimensions; not needed with one of the lists below\n"
    "  --extent T,T,...    elements of the whole grid along each dimension\n"
    "  --width W,W,...     halo width, or bytes an element of surface\n"
    "  --bandwidth B,B,... of the network's links along each dimension;\n"
    "                      without --levels: the best shape of a node's tile\n"
    "  --exchange WHEN     one-by-one (default): halos of the dimensions one\n"
    "                      after the other; together: all at once\n"
    "  --json              keys dims levels cost, or shape gain\n";

/* The three lists with a number a dimension. */
enum {
    EXTENT,
    WIDTH,
    BANDWIDTH,
    NLISTS,
};
static const char *const list_names[NLISTS] = {"--extent", "--width",
                                               "--bandwidth"};

/* More levels than any machine has. */
enum {
    MAX_LEVELS = 16,
};

struct dims_options {
    uint32_t nlevels, counts[MAX_LEVELS];
    uint32_t ndims; /* 0: not said */
    uint32_t nlist[NLISTS];
    double list[NLISTS][MAPCORE_DIMS_MOST];
    enum mapcore_exchange exchange;
    bool json, help;
};

/* Takes "a,b,c" apart in place; item i of them, or NULL behind the last. */
static char *next_item(char **rest)
{
    return *rest ? strsep(rest, ",") : NULL;
}

static int take_levels(struct dims_options *out, char *text)
{
    char *rest = text, *item;

    out->nlevels = 0;
    while ((item = next_item(&rest))) {
        uint64_t count;

        if (!text_parse_u64(item, &count) || count < 1 || count > INT32_MAX)
            return tool_usage("dims",
                              "--levels wants counts from 1 to %d, not '%s'",
                              INT32_MAX, item);
        if (out->nlevels == MAX_LEVELS)
            return tool_usage("dims", "--levels takes at most %d levels",
                              MAX_LEVELS);
        out->counts[out->nlevels++] = (uint32_t)count;
    }
    return TOOL_OK;
}

static int take_list(struct dims_options *out, int which, char *text)
{
    char *rest = text, *item;

    out->nlist[which] = 0;
    while ((item = next_item(&rest))) {
        double number;

        if (!text_parse_double(item, &number) || !(number > 0) ||
            number > 1e300)
            return tool_usage("dims", "%s wants numbers above 0, not '%s'",
                              list_names[which], item);
        if (out->nlist[which] == MAPCORE_DIMS_MOST)
            return tool_usage("dims", "%s takes at most %d dimensions",
                              list_names[which], MAPCORE_DIMS_MOST);
        out->list[which][out->nlist[which]++] = number;
    }
    return TOOL_OK;
}

static int take_exchange(struct dims_options *out, const char *text)
{
    if (strcmp(text, "one-by-one") == 0)
        out->exchange = MAPCORE_EXCHANGE_ONE_BY_ONE;
    else if (strcmp(text, "together") == 0)
        out->exchange = MAPCORE_EXCHANGE_TOGETHER;
    else
        return tool_usage(
            "dims", "--exchange wants one-by-one or together, not '%s'", text);
    return TOOL_OK;
}

/* All lists speak of the same number of dimensions. */
static int check_options(struct dims_options *out, int argc, char **argv)
{
    if (optind < argc)
        return tool_usage("dims", "'%s' is not an option", argv[optind]);
    for (int i = 0; i < NLISTS; i++) {
        if (out->nlist[i] == 0)
            continue;
        if (out->ndims == 0)
            out->ndims = out->nlist[i];
        if (out->nlist[i] != out->ndims)
            return tool_usage(
                "dims", "%s has %" PRIu32 " numbers for %" PRIu32 " dimensions",
                list_names[i], out->nlist[i], out->ndims);
    }
    if (out->nlevels == 0 && out->nlist[BANDWIDTH] == 0)
        return tool_usage("dims", "--levels is missing");
    if (out->nlevels == 0 && out->nlist[EXTENT] > 0)
        return tool_usage("dims", "--extent needs --levels");
    if (out->ndims == 0)
        return tool_usage("dims", "--ndims is missing");
    return TOOL_OK;
}

static int parse_options(struct dims_options *out, int argc, char **argv)
{
    static const struct option longs[] = {
        {"levels", required_argument, NULL, 'l'},
        {"ndims", required_argument, NULL, 'n'},
        {"extent", required_argument, NULL, 't'},
        {"width", required_argument, NULL, 'w'},
        {"bandwidth", required_argument, NULL, 'b'},
        {"exchange", required_argument, NULL, 'e'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    uint64_t number;
    int c, error = TOOL_OK;

    opterr = 0;
    while (error == TOOL_OK &&
           (c = getopt_long(argc, argv, ":h", longs, NULL)) != -1) {
        switch (c) {
        case 'l':
            error = take_levels(out, optarg);
            break;
        case 'n':
            if (!tool_take_u64("dims", "--ndims", optarg, 1, MAPCORE_DIMS_MOST,
                               &number))
                return TOOL_USAGE;
            out->ndims = (uint32_t)number;
            break;
        case 't':
            error = take_list(out, EXTENT, optarg);
            break;
        case 'w':
            error = take_list(out, WIDTH, optarg);
            break;
        case 'b':
            error = take_list(out, BANDWIDTH, optarg);
            break;
        case 'e':
            error = take_exchange(out, optarg);
            break;
        case 'j':
            out->json = true;
            break;
        case 'h':
            out->help = true;
            return TOOL_OK;
        default:
            return tool_usage_getopt("dims", c, argv);
        }
    }
    return error == TOOL_OK ? check_options(out, argc, argv) : error;
}

static const double *list_of(const struct dims_options *options, int which)
{
    return options->nlist[which] > 0 ? options->list[which] : NULL;
}

static int put_doubles(const char *key,
                       const double *number,
                       uint32_t n,
                       double gain,
                       struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_begin_array(&writer, key);
    for (uint32_t i = 0; i < n; i++)
        json_put_double(&writer, NULL, number[i]);
    json_end_array(&writer);
    json_put_double(&writer, "gain", gain);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

/* "25x30x20" */
static void print_dims(const uint32_t *dims, uint32_t ndims)
{
    for (uint32_t i = 0; i < ndims; i++)
        printf("%s%" PRIu32, i > 0 ? "x" : "", dims[i]);
}

/* dims: [nlevels * ndims] factors, total: [ndims] their products. */
static int print_levels(const struct dims_options *options,
                        const uint32_t *dims,
                        const uint32_t *total,
                        const double *sum,
                        struct mapcore_error *err)
{
    uint32_t ndims = options->ndims;
    struct json_writer writer;

    if (!options->json) {
        print_dims(total, ndims);
        printf("\n");
        for (uint32_t l = 0; l < options->nlevels; l++) {
            printf("%" PRIu32 ": ", options->counts[l]);
            print_dims(dims + (size_t)l * ndims, ndims);
            printf(", cost %.6g\n", sum[l]);
        }
        return 0;
    }
    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_numbers(&writer, "dims", total, ndims);
    json_begin_array(&writer, "levels");
    for (uint32_t l = 0; l < options->nlevels; l++)
        json_put_numbers(&writer, NULL, dims + (size_t)l * ndims, ndims);
    json_end_array(&writer);
    json_begin_array(&writer, "cost");
    for (uint32_t l = 0; l < options->nlevels; l++)
        json_put_double(&writer, NULL, sum[l]);
    json_end_array(&writer);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static int solve(const struct dims_options *options, struct mapcore_error *err)
{
    struct mapcore_dims problem = {
        .nlevels = options->nlevels,
        .counts = options->counts,
        .ndims = options->ndims,
        .extent = list_of(options, EXTENT),
        .width = list_of(options, WIDTH),
        .bandwidth = list_of(options, BANDWIDTH),
        .exchange = options->exchange,
    };
    uint32_t dims[MAX_LEVELS * MAPCORE_DIMS_MOST];
    uint32_t total[MAPCORE_DIMS_MOST];
    double sum[MAX_LEVELS];
    int error = mapcore_dims_solve(dims, sum, &problem, err);

    if (error < 0)
        return error;
    for (uint32_t i = 0; i < options->ndims; i++) {
        total[i] = 1;
        for (uint32_t l = 0; l < options->nlevels; l++)
            total[i] *= dims[l * options->ndims + i];
    }
    return print_levels(options, dims, total, sum, err);
}

static int tile(const struct dims_options *options, struct mapcore_error *err)
{
    double shape[MAPCORE_DIMS_MOST], gain;
    int error =
        mapcore_dims_tile(shape, &gain, options->ndims, list_of(options, WIDTH),
                          list_of(options, BANDWIDTH), options->exchange, err);

    if (error < 0)
        return error;
    if (options->json)
        return put_doubles("shape", shape, options->ndims, gain, err);
    printf("shape ");
    for (uint32_t i = 0; i < options->ndims; i++)
        printf("%s%.4g", i > 0 ? " : " : "", shape[i]);
    printf("\ngain %.4g\n", gain);
    return 0;
}

int dims_main(int argc, char **argv)
{
    struct dims_options options = {0};
    struct mapcore_error err;
    int error = parse_options(&options, argc, argv);

    if (error != TOOL_OK)
        return error;
    if (options.help) {
        fputs(help, stdout);
        return TOOL_OK;
    }
    if ((options.nlevels > 0 ? solve : tile)(&options, &err) < 0)
        return tool_fail("%s", err.text);
    return TOOL_OK;
}
