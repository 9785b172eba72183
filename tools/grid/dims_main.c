/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims_main.c - topomap grid dims: how to cut a grid up for a machine of
 * several levels */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/text.h"
#include "cart/dims.h"
#include "tools/rank_order.h"
#include "tools/table/answer.h"
#include "tools/table/csv.h"
#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* More levels than any machine has. */
enum {
    MAX_LEVELS = 16,
};

/* Numbers with commas between, one a dimension. */
struct numbers {
    uint32_t n; /* 0: not said */
    double item[MAPCORE_DIMS_MAX];
};

struct dims_levels {
    uint32_t n; /* 0: not said */
    uint32_t count[MAX_LEVELS];
};

struct dims_options {
    struct dims_levels levels;
    uint32_t ndims; /* 0: not said */
    struct numbers extent, width, bandwidth;
    enum mapcore_exchange exchange;
    bool json, csv;
};

static int take_levels(void *at, const char *text, struct mapcore_error *err)
{
    struct dims_levels *out = at;
    const char *rest = text;
    uint64_t count;
    char item[RANK_ORDER_ITEM];

    out->n = 0;
    while (rest) {
        rank_order_next_item(item, &rest);
        if (!text_parse_u64(item, &count) || count < 1 || count > INT32_MAX)
            return error_set(err, MAPCORE_EINVAL,
                             "'%s' is not a count from 1 to %d", item,
                             INT32_MAX);
        if (out->n == MAX_LEVELS)
            return error_set(err, MAPCORE_EINVAL, "more than %d levels",
                             MAX_LEVELS);
        out->count[out->n++] = (uint32_t)count;
    }
    return 0;
}

static int take_numbers(void *at, const char *text, struct mapcore_error *err)
{
    struct numbers *out = at;
    const char *rest = text;
    double number;
    char item[RANK_ORDER_ITEM];

    out->n = 0;
    while (rest) {
        rank_order_next_item(item, &rest);
        if (!text_parse_double(item, &number) || !(number > 0) ||
            number > 1e300)
            return error_set(err, MAPCORE_EINVAL,
                             "'%s' is not a number above 0", item);
        if (out->n == MAPCORE_DIMS_MAX)
            return error_set(err, MAPCORE_EINVAL, "more than %d dimensions",
                             MAPCORE_DIMS_MAX);
        out->item[out->n++] = number;
    }
    return 0;
}

static const struct option_word exchanges[] = {
    {"one-by-one", MAPCORE_EXCHANGE_ONE_BY_ONE, "one dimension after the other",
     false},
    {"together", MAPCORE_EXCHANGE_TOGETHER, "all at once", false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {.name = "levels",
     .argument = "N,N,...",
     OPTION_CALL_INTO(struct dims_options, levels, take_levels),
     .help = "pieces on each level: 625 nodes of 24 cores are 625,24"},
    {.name = "ndims",
     .argument = "D",
     OPTION_INTO(struct dims_options, ndims),
     .min = 1,
     .max = MAPCORE_DIMS_MAX,
     .help = "dimensions; not needed with one of the lists below"},
    {.name = "grid",
     .argument = "T,T,...",
     OPTION_CALL_INTO(struct dims_options, extent, take_numbers),
     .help = "elements of the whole grid along each dimension"},
    {.name = "weights",
     .argument = "W,W,...",
     OPTION_CALL_INTO(struct dims_options, width, take_numbers),
     .help = "halo width, or bytes an element of surface"},
    {.name = "bandwidth",
     .argument = "B,B,...",
     OPTION_CALL_INTO(struct dims_options, bandwidth, take_numbers),
     .help = "of the network's links along each dimension; without --levels: "
             "the best shape of a node's tile"},
    {.name = "exchange",
     .argument = "WHEN",
     OPTION_WORD_INTO(struct dims_options, exchange, exchanges),
     .shows_default = true,
     .help = "when halos are exchanged"},
    {.name = "json",
     OPTION_INTO(struct dims_options, json),
     .help = "keys dims levels cost, or shape gain"},
    {.name = "csv",
     OPTION_INTO(struct dims_options, csv),
     .help =
         "comma-separated values: a line a level; without --levels the same as --json"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "grid dims",
    .forms = (const char *const[]){"--levels N,N,... --ndims D [OPTION]...",
                                   "--bandwidth B,B,... [--exchange WHEN] "
                                   "[--json]",
                                   NULL},
    .about = "Cuts a Cartesian grid of D dimensions up on every level of a "
             "machine, the outermost first, so that few bytes cross the outer "
             "levels, and prints the tasks along each dimension, then the "
             "factors of each level.",
    .groups = {{rows, 0}},
};

/* All lists speak of the same number of dimensions. */
static int check_options(struct dims_options *out)
{
    const struct {
        const char *name;
        uint32_t n;
    } lists[] = {{"grid", out->extent.n},
                 {"weights", out->width.n},
                 {"bandwidth", out->bandwidth.n}};

    for (int i = 0; i < 3; i++) {
        if (lists[i].n == 0)
            continue;
        if (out->ndims == 0)
            out->ndims = lists[i].n;
        if (lists[i].n != out->ndims)
            return tool_usage("grid dims",
                              "--%s has %" PRIu32 " numbers for %" PRIu32
                              " dimensions",
                              lists[i].name, lists[i].n, out->ndims);
    }
    if (out->levels.n == 0 && out->bandwidth.n == 0)
        return tool_usage("grid dims", "--levels is missing");
    if (out->levels.n == 0 && out->extent.n > 0)
        return tool_usage("grid dims", "--grid needs --levels");
    if (out->ndims == 0)
        return tool_usage("grid dims", "--ndims is missing");
    return TOOL_OK;
}

static const double *list_of(const struct numbers *numbers)
{
    return numbers->n > 0 ? numbers->item : NULL;
}

static int put_doubles(const char *key,
                       const double *number,
                       uint32_t n,
                       double gain,
                       bool csv,
                       struct mapcore_error *err)
{
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, csv ? ANSWER_ONE_ROW : NULL, err);

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_begin_array(writer, key);
    for (uint32_t i = 0; i < n; i++)
        json_put_double(writer, NULL, number[i]);
    json_end_array(writer);
    json_put_double(writer, "gain", gain);
    json_end_object(writer);
    return answer_end(&answer, 0, err);
}

/* A line a level: its tasks, its factors and what they cost. */
static void print_csv(const struct dims_options *options,
                      const uint32_t *dims,
                      const double *sum)
{
    const uint32_t ndims = options->ndims;

    printf("level,pieces,dims,cost\n");
    for (uint32_t l = 0; l < options->levels.n; l++) {
        printf("%" PRIu32 ",%" PRIu32 ",\"", l + 1, options->levels.count[l]);
        for (uint32_t i = 0; i < ndims; i++)
            printf("%s%" PRIu32, i > 0 ? " " : "", dims[l * ndims + i]);
        putchar('"');
        csv_put_exact(true, sum[l]);
        putchar('\n');
    }
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

    if (options->csv) {
        print_csv(options, dims, sum);
        return 0;
    }
    if (!options->json) {
        rank_order_print_box(stdout, total, ndims);
        printf("\n");
        for (uint32_t l = 0; l < options->levels.n; l++) {
            printf("%" PRIu32 ": ", options->levels.count[l]);
            rank_order_print_box(stdout, dims + (size_t)l * ndims, ndims);
            printf(", cost %.6g\n", sum[l]);
        }
        return 0;
    }
    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_numbers(&writer, "dims", total, ndims);
    json_begin_array(&writer, "levels");
    for (uint32_t l = 0; l < options->levels.n; l++)
        json_put_numbers(&writer, NULL, dims + (size_t)l * ndims, ndims);
    json_end_array(&writer);
    json_begin_array(&writer, "cost");
    for (uint32_t l = 0; l < options->levels.n; l++)
        json_put_double(&writer, NULL, sum[l]);
    json_end_array(&writer);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static int solve(const struct dims_options *options, struct mapcore_error *err)
{
    struct mapcore_dims problem = {
        .nlevels = options->levels.n,
        .counts = options->levels.count,
        .ndims = options->ndims,
        .extent = list_of(&options->extent),
        .width = list_of(&options->width),
        .bandwidth = list_of(&options->bandwidth),
        .exchange = options->exchange,
    };
    uint32_t dims[MAX_LEVELS * MAPCORE_DIMS_MAX];
    uint32_t total[MAPCORE_DIMS_MAX];
    double sum[MAX_LEVELS];
    int error = mapcore_dims_solve(dims, sum, &problem, err);

    if (error < 0)
        return error;
    for (uint32_t i = 0; i < options->ndims; i++) {
        total[i] = 1;
        for (uint32_t l = 0; l < options->levels.n; l++)
            total[i] *= dims[l * options->ndims + i];
    }
    return print_levels(options, dims, total, sum, err);
}

static int tile(const struct dims_options *options, struct mapcore_error *err)
{
    double shape[MAPCORE_DIMS_MAX], gain;
    int error = mapcore_dims_tile(
        shape, &gain, options->ndims, list_of(&options->width),
        list_of(&options->bandwidth), options->exchange, err);

    if (error < 0)
        return error;
    if (options->json || options->csv)
        return put_doubles("shape", shape, options->ndims, gain, options->csv,
                           err);
    printf("shape ");
    for (uint32_t i = 0; i < options->ndims; i++)
        printf("%s%.4g", i > 0 ? " : " : "", shape[i]);
    printf("\ngain %.4g\n", gain);
    return 0;
}

int grid_dims_main(int argc, char **argv)
{
    struct dims_options options = {0};
    struct mapcore_error err;
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = check_options(&options);
    if (status != TOOL_OK)
        return status;
    if ((options.levels.n > 0 ? solve : tile)(&options, &err) < 0)
        return tool_fail("%s", err.text);
    return TOOL_OK;
}
