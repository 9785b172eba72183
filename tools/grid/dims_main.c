/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dims_main.c - topomap grid dims: how to cut a grid up for a machine of
 * several levels */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/text.h"
#include "cart/dims.h"
#include "tools/rank_order.h"
#include "tools/table/answer.h"
#include "json/json.h"

#include <stdlib.h>

/* More levels than any machine has. */
enum {
    MAX_LEVELS = 16,
};

/* Numbers with commas between: one a level, or a dimension. */
struct numbers {
    uint32_t n; /* 0: not said */
    double item[MAPCORE_DIMS_MAX];
};

struct dims_options {
    struct numbers levels;
    uint32_t ndims; /* 0: not said */
    struct numbers extent, width, bandwidth;
    enum mapcore_exchange exchange;
    struct answer_form form;
};

/* Counts of levels, or any numbers of dimensions. */
static int take_list(struct numbers *out,
                     const char *text,
                     bool levels,
                     struct mapcore_error *err)
{
    uint32_t most = levels ? MAX_LEVELS : MAPCORE_DIMS_MAX;
    char item[RANK_ORDER_ITEM];
    uint64_t count;
    double number;

    out->n = 0;
    for (const char *rest = text; rest;) {
        rank_order_next_item(item, &rest);
        if (levels &&
            (!text_parse_u64(item, &count) || count < 1 || count > INT32_MAX))
            return error_set(err, MAPCORE_EINVAL,
                             "'%s' is not a count from 1 to %d", item,
                             INT32_MAX);
        if (!text_parse_double(item, &number) || !(number > 0) ||
            number > 1e300)
            return error_set(err, MAPCORE_EINVAL,
                             "'%s' is not a number above 0", item);
        if (out->n == most)
            return error_set(err, MAPCORE_EINVAL, "more than %u %s", most,
                             levels ? "levels" : "dimensions");
        out->item[out->n++] = number;
    }
    return 0;
}

static int take_levels(void *at, const char *text, struct mapcore_error *err)
{
    return take_list(at, text, true, err);
}

static int take_numbers(void *at, const char *text, struct mapcore_error *err)
{
    return take_list(at, text, false, err);
}

static const struct option_word exchanges[] = {
    {"one-by-one", MAPCORE_EXCHANGE_ONE_BY_ONE, "one dimension after the other",
     false},
    {"together", MAPCORE_EXCHANGE_TOGETHER, "all at once", false},
    {NULL, 0, NULL, false},
};

static const struct option_row rows[] = {
    {OPTION("levels", "N,N,..."),
     OPTION_CALL_INTO(struct dims_options, levels, take_levels)},
    {OPTION_TAKES("ndims", "D", struct dims_options, ndims), .min = 1,
     .max = MAPCORE_DIMS_MAX},
    {OPTION("grid", "T,T,..."),
     OPTION_CALL_INTO(struct dims_options, extent, take_numbers)},
    {OPTION("weights", "W,W,..."),
     OPTION_CALL_INTO(struct dims_options, width, take_numbers)},
    {OPTION("bandwidth", "B,B,..."),
     OPTION_CALL_INTO(struct dims_options, bandwidth, take_numbers)},
    {OPTION("exchange", "WHEN"),
     OPTION_WORD_INTO(struct dims_options, exchange, exchanges),
     .shows_default = true},
    {OPTION_NAMED("json", struct dims_options, form.json)},
    {OPTION_NAMED("csv", struct dims_options, form.csv)},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "grid dims",
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
                              "--%s has %u numbers for %u dimensions",
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

static void put_doubles(struct json_writer *writer,
                        const char *key,
                        const double *number,
                        uint32_t n)
{
    json_begin_array(writer, key);
    for (uint32_t i = 0; i < n; i++)
        json_put_double(writer, NULL, number[i]);
    json_end_array(writer);
}

static int solve(uint32_t *dims,
                 double *cost,
                 const struct dims_options *options,
                 struct mapcore_error *err)
{
    uint32_t counts[MAX_LEVELS];
    const struct mapcore_dims problem = {
        .nlevels = options->levels.n,
        .counts = counts,
        .ndims = options->ndims,
        .extent = list_of(&options->extent),
        .width = list_of(&options->width),
        .bandwidth = list_of(&options->bandwidth),
        .exchange = options->exchange,
    };

    for (uint32_t l = 0; l < problem.nlevels; l++)
        counts[l] = (uint32_t)options->levels.item[l];
    return mapcore_dims_solve(dims, cost, &problem, err);
}

/* dims: [nlevels * ndims] factors. */
static void put_levels(struct json_writer *writer,
                       const struct dims_options *options,
                       const uint32_t *dims,
                       const double *cost)
{
    uint32_t n = options->levels.n, ndims = options->ndims;
    uint32_t total[MAPCORE_DIMS_MAX];

    for (uint32_t i = 0; i < ndims; i++) {
        total[i] = 1;
        for (uint32_t l = 0; l < n; l++)
            total[i] *= dims[l * ndims + i];
    }
    json_put_numbers(writer, "dims", total, ndims);
    json_begin_array(writer, "levels");
    for (uint32_t l = 0; l < n; l++)
        json_put_numbers(writer, NULL, dims + (size_t)l * ndims, ndims);
    json_end_array(writer);
    put_doubles(writer, "cost", cost, n);
}

static int run(const struct dims_options *options, struct mapcore_error *err)
{
    uint32_t dims[MAX_LEVELS * MAPCORE_DIMS_MAX];
    double cost[MAX_LEVELS], shape[MAPCORE_DIMS_MAX], gain = 0;
    bool levels = options->levels.n > 0;
    struct answer answer;
    struct json_writer *writer;
    int error = levels ? solve(dims, cost, options, err)
                       : mapcore_dims_tile(shape, &gain, options->ndims,
                                           list_of(&options->width),
                                           list_of(&options->bandwidth),
                                           options->exchange, err);

    if (error < 0)
        return error;
    writer = answer_begin(&answer, stdout, &options->form, "dims", NULL);
    if (levels) {
        put_levels(writer, options, dims, cost);
    } else {
        put_doubles(writer, "shape", shape, options->ndims);
        json_put_double(writer, "gain", gain);
    }
    return answer_end(&answer, 0, err);
}

int grid_dims_main(int argc, char **argv, struct mapcore_error *err)
{
    struct dims_options options = {0};
    int status;

    if (!command_line_parse(&status, &line, &options, argc, argv))
        return status;
    status = check_options(&options);
    return status != TOOL_OK ? status : run(&options, err);
}
