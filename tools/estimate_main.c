/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* estimate_main.c - topomap estimate: how long mappings take to communicate, by
 * type of call, and which of them to use */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "base/printable.h"
#include "metric/estimate.h"
#include "tools/common/compared.h"
#include "tools/common/csv.h"
#include "tools/common/graph_messages.h"
#include "tools/common/quantity.h"
#include "tools/estimate_parts.h"
#include "tools/estimate_phases.h"
#include "tools/estimate_random.h"
#include "tools/ports_model.h"

#include "json/json.h"

#include <inttypes.h>
#include <stdlib.h>

enum {
    MOST_RANDOM = 1000000,
    PORT_NAME = 600, /* two host names of 255 bytes */
};

enum estimate_model { MODEL_LINKS, MODEL_PORTS };

static const struct option_word models[] = {
    {"links", MODEL_LINKS, "bytes over capacity", false},
    {"ports", MODEL_PORTS,
     "messages by their lengths, by the ports of the site file", false},
    {NULL, 0, NULL, false},
};

struct estimate_options {
    struct inputs inputs;
    enum estimate_model model;
    struct tool_list mappings;
    uint32_t random;
    uint64_t seed;
    bool json, csv;
};

static const struct option_row operands[] = {
    {.name = "GRAPH",
     OPTION_INTO(struct estimate_options, inputs.source.path),
     .required = true,
     .help = GRAPHS_OPERAND_HELP},
    {.name = NULL},
};

static const struct option_row rows[] = {
    {.name = "mapping",
     .argument = "MAPPING",
     OPTION_INTO(struct estimate_options, mappings),
     .help =
         "compare it, too, with the block layout: a file, or cyclic or another mapper (topomap map --list), run once; may be repeated"},
    {.name = "model",
     .argument = "WHAT",
     OPTION_WORD_INTO(struct estimate_options, model, models),
     .shows_default = true,
     .help = "how the time of a type is estimated"},
    {.name = "random",
     .argument = "N",
     OPTION_INTO(struct estimate_options, random),
     .min = 1,
     .max = MOST_RANDOM,
     .help = "beside N random mappings"},
    {.name = "seed",
     .argument = "N",
     OPTION_INTO(struct estimate_options, seed),
     .min = 1,
     .shows_default = true,
     .help = "where their random numbers start"},
    {.name = "json",
     OPTION_INTO(struct estimate_options, json),
     .help =
         "an object with time_unit, mappings (types and time_s, time_bytes or "
         "time of each), random and use"},
    {.name = "csv",
     OPTION_INTO(struct estimate_options, csv),
     .help = "comma-separated values, a line a mapping and type of call"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "estimate",
    .about = "Estimates how long mappings take to communicate: for each type "
             "of call the time of the slowest link, network interface or "
             "memory; and says which mapping to use.",
    .operands = operands,
    .groups = {{inputs_rows, offsetof(struct estimate_options, inputs)},
               {graphs_rows, offsetof(struct estimate_options, inputs.source)},
               {inputs_rates_rows, offsetof(struct estimate_options, inputs)},
               {rows, 0}},
};

/* The types, or the one graph, that are added up, and the mappings: [0] is the
 * block layout, which the others are compared with. */
struct comparison {
    const struct estimate_options *options;
    struct graph_types types;
    struct ports_model ports; /* of that model */
    struct candidate_mapping {
        const char *name;               /* borrowed */
        struct mapcore_estimate *types; /* [types.n] */
        double *seconds;                /* of each, [types.n] */
        double time;                    /* of all types */
    } * mapping;                        /* [n] */
    struct compared *compared;          /* [n] */
    size_t n;
    double *random; /* [nrandom], ascending */
    uint32_t nrandom;
    size_t use;
    enum quantity_time unit, port_unit; /* of the times; as ports took them */
};

static double seconds_of(const struct comparison *c,
                         size_t type,
                         const struct mapcore_estimate *estimate)
{
    return graphs_type_seconds(&c->types, type, estimate->time,
                               c->mapping[0].types[type].time);
}

static int estimate_types(const struct comparison *c,
                          struct mapcore_estimate *out,
                          const struct mapcore_mapping *mapping,
                          struct mapcore_error *err)
{
    const struct estimate_options *options = c->options;
    int error = 0;

    for (size_t i = 0; error == 0 && i < c->types.n; i++)
        error = options->model == MODEL_PORTS
                    ? ports_model_estimate(&out[i], &c->ports, i,
                                           options->inputs.alloc, mapping, err)
                    : graphs_type_estimate(&out[i], &c->types, i,
                                           options->inputs.alloc, mapping->host,
                                           &options->inputs.rates, err);
    return error;
}

static double add_up(const struct comparison *c,
                     const struct mapcore_estimate *types)
{
    double sum = 0;

    for (size_t i = 0; i < c->types.n; i++)
        sum += seconds_of(c, i, &types[i]);
    return sum;
}

static int estimate_mappings(struct comparison *c, struct mapcore_error *err)
{
    const struct estimate_options *options = c->options;
    double *time = array_alloc(c->n, sizeof(*time), err);
    int error = time ? 0 : MAPCORE_ENOMEM;

    if (error == 0)
        error = compared_open(&c->compared, &options->mappings,
                              &options->inputs, err);
    for (size_t i = 0; error == 0 && i < c->n; i++) {
        struct candidate_mapping *m = &c->mapping[i];

        m->name = c->compared[i].name;
        m->types = array_alloc(c->types.n, sizeof(*m->types), err);
        m->seconds = array_alloc(c->types.n, sizeof(*m->seconds), err);
        error = m->types && m->seconds
                    ? estimate_types(c, m->types, c->compared[i].mapping, err)
                    : MAPCORE_ENOMEM;
        for (size_t k = 0; error == 0 && k < c->types.n; k++)
            m->seconds[k] = seconds_of(c, k, &m->types[k]);
        if (error == 0)
            time[i] = m->time = add_up(c, m->types);
    }
    if (error == 0)
        c->use = compared_best(time, c->n);
    free(time);
    return error;
}

/* All types of it. */
static int random_time(double *out,
                       const void *arg,
                       const uint32_t *host,
                       struct mapcore_error *err)
{
    const struct comparison *c = arg;
    const struct inputs *inputs = &c->options->inputs;
    struct mapcore_mapping *mapping = NULL;
    struct mapcore_estimate *types =
        array_alloc(c->types.n, sizeof(*types), err);
    int error =
        types ? mapcore_mapping_create(&mapping, inputs->alloc,
                                       mapcore_graph_ntasks(inputs->graph),
                                       host, NULL, err)
              : MAPCORE_ENOMEM;

    if (error == 0)
        error = estimate_types(c, types, mapping, err);
    if (error == 0)
        *out = add_up(c, types);
    mapcore_mapping_destroy(mapping);
    free(types);
    return error;
}

/* The type that takes longest under a mapping. */
static size_t longest_type(const struct comparison *c, size_t mapping)
{
    const struct mapcore_estimate *types = c->mapping[mapping].types;
    size_t longest = 0;

    for (size_t i = 1; i < c->types.n; i++)
        if (seconds_of(c, i, &types[i]) >
            seconds_of(c, longest, &types[longest]))
            longest = i;
    return longest;
}

/* The time of all types if the slowest port of that one took none. */
static double without_port(const struct comparison *c, size_t mapping)
{
    size_t type = longest_type(c, mapping);
    struct mapcore_estimate next = c->mapping[mapping].types[type];
    double now = seconds_of(c, type, &next);

    next.time = next.next_time;
    return c->mapping[mapping].time - now + seconds_of(c, type, &next);
}

/* Whether latency or the time of messages is in any of it. */
static bool has_parts(const struct comparison *c)
{
    bool has = false;

    for (size_t i = 0; i < c->types.n; i++)
        has = has || c->types.type[i].phases || c->types.type[i].messages;
    return has && c->options->model == MODEL_LINKS &&
           mapcore_message_costs_known(&c->options->inputs.rates.message);
}

/* Of a type, or, i = types.n, of all. */
static struct estimate_parts parts_of(const struct comparison *c,
                                      size_t mapping,
                                      size_t i)
{
    const struct candidate_mapping *m = &c->mapping[mapping];
    const bool is_sum = i == c->types.n;

    return estimate_parts_of(&m->types[is_sum ? 0 : i],
                             &m->seconds[is_sum ? 0 : i],
                             is_sum ? c->types.n : 1);
}

static double gain(const struct comparison *c, size_t mapping)
{
    double block = c->mapping[0].time;

    return block > 0 ? 1 - c->mapping[mapping].time / block : 0;
}

static void name_port(char *name, const struct comparison *c, size_t mapping)
{
    size_t type = longest_type(c, mapping);

    mapcore_port_name(c->options->inputs.alloc,
                      c->mapping[mapping].types[type].port, name, PORT_NAME);
    printable_clean(name);
}

static void print_random(const struct comparison *c)
{
    const uint32_t n = c->nrandom;
    char least[QUANTITY_TEXT], median[QUANTITY_TEXT], most[QUANTITY_TEXT];

    if (n == 0)
        return;
    quantity_put_time(least, c->random[0], c->unit);
    quantity_put_time(median, c->random[n / 2], c->unit);
    quantity_put_time(most, c->random[n - 1], c->unit);
    printf("\n%" PRIu32 " random mapping%s: %s at least, %s median, %s at "
           "most\n",
           n, n == 1 ? "" : "s", least, median, most);
}

static void print_time(const struct comparison *c,
                       const char *what,
                       double time)
{
    char text[QUANTITY_TEXT];

    quantity_put_time(text, time, c->unit);
    tool_print("  %-20s %12s", what, text);
}

static void print_text(const struct comparison *c)
{
    char name[PORT_NAME];

    for (size_t m = 0; m < c->n; m++) {
        const struct candidate_mapping *mapping = &c->mapping[m];

        tool_print(m > 0 ? "\n%s\n" : "%s\n", mapping->name);
        for (size_t i = 0; c->types.n > 1 && i < c->types.n; i++) {
            print_time(c, c->types.type[i].name, mapping->seconds[i]);
            putchar('\n');
        }
        estimate_phases_print(&c->types, mapping->seconds, c->unit);
        print_time(c, "time", mapping->time);
        if (m > 0)
            printf("  %+.1f%%", 0.0 - 100 * gain(c, m));
        name_port(name, c, m);
        putchar('\n');
        if (has_parts(c))
            estimate_parts_print(parts_of(c, m, c->types.n), c->unit);
        print_time(c, "busiest link free", without_port(c, m));
        printf("  without %s\n", name);
    }
    print_random(c);
    tool_print("\nuse %s", c->mapping[c->use].name);
    if (c->use > 0)
        printf(": %.1f%% of %s can be gained\n", 100 * gain(c, c->use),
               c->types.is_profile ? "the recorded time in these calls"
                                   : "the time");
    else
        printf("%s\n", c->n > 1 ? ": none is better by 1%" : "");
}

/* A line a mapping and type, and one without a type, their sum. */
static void print_csv(const struct comparison *c)
{
    char name[PORT_NAME], key[QUANTITY_TEXT];

    printf("mapping,type,%s,busiest", quantity_time_key(key, "time", c->unit));
    if (has_parts(c)) {
        printf(",%s", quantity_time_key(key, "latency", c->unit));
        printf(",%s", quantity_time_key(key, "messages", c->unit));
    }
    putchar('\n');
    for (size_t m = 0; m < c->n; m++)
        for (size_t i = 0; i <= c->types.n; i++) {
            const struct candidate_mapping *mapping = &c->mapping[m];
            const bool is_sum = i == c->types.n;

            csv_put_name(mapping->name);
            putchar(',');
            csv_put_name(is_sum ? "" : c->types.type[i].name);
            csv_put_exact(true, is_sum ? mapping->time : mapping->seconds[i]);
            name_port(name, c, m);
            if (!is_sum) {
                mapcore_port_name(c->options->inputs.alloc,
                                  mapping->types[i].port, name, sizeof(name));
                printable_clean(name);
            }
            putchar(',');
            csv_put_name(name);
            if (has_parts(c))
                estimate_parts_csv(parts_of(c, m, i));
            putchar('\n');
        }
}

static void put_mapping(struct json_writer *writer,
                        const struct comparison *c,
                        size_t m)
{
    const struct candidate_mapping *mapping = &c->mapping[m];
    char name[PORT_NAME];

    json_begin_object(writer, NULL);
    json_put_string(writer, "mapping", mapping->name);
    quantity_put_json(writer, "time", mapping->time, c->unit);
    json_put_double(writer, "gain", gain(c, m));
    name_port(name, c, m);
    json_put_string(writer, "busiest", name);
    quantity_put_json(writer, "without_busiest", without_port(c, m), c->unit);
    if (has_parts(c))
        estimate_parts_put(writer, parts_of(c, m, c->types.n), c->unit);
    json_begin_array(writer, "types");
    for (size_t i = 0; i < c->types.n; i++) {
        json_begin_object(writer, NULL);
        json_put_string(writer, "type", c->types.type[i].name);
        quantity_put_json(writer, "time", mapping->seconds[i], c->unit);
        quantity_put_json(writer, "slowest_port", mapping->seconds[i], c->unit);
        json_put_double(writer, "estimated", mapping->types[i].time);
        mapcore_port_name(c->options->inputs.alloc, mapping->types[i].port,
                          name, sizeof(name));
        json_put_string(writer, "busiest", name);
        if (has_parts(c))
            estimate_parts_put(writer, parts_of(c, m, i), c->unit);
        json_end_object(writer);
    }
    json_end_array(writer);
    estimate_phases_put(writer, &c->types, mapping->seconds, c->unit);
    json_end_object(writer);
}

static int print_json(const struct comparison *c, struct mapcore_error *err)
{
    uint32_t n = c->nrandom;
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "time_unit", quantity_time_name(c->unit));
    json_put_string(&writer, "port_unit", quantity_time_name(c->port_unit));
    json_begin_array(&writer, "mappings");
    for (size_t m = 0; m < c->n; m++)
        put_mapping(&writer, c, m);
    json_end_array(&writer);
    if (n > 0) {
        json_begin_object(&writer, "random");
        json_put_u64(&writer, "mappings", n);
        json_put_double(&writer, "least_s", c->random[0]);
        json_put_double(&writer, "median_s", c->random[n / 2]);
        json_put_double(&writer, "most_s", c->random[n - 1]);
        json_end_object(&writer);
    }
    json_put_string(&writer, "use", c->mapping[c->use].name);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}

static int estimate(struct estimate_options *options, struct mapcore_error *err)
{
    struct comparison c = {.options = options, .n = options->mappings.n + 1};
    int error = inputs_open(&options->inputs, err);

    if (error == 0) {
        c.mapping = array_alloc(c.n, sizeof(*c.mapping), err);
        error = c.mapping ? 0 : MAPCORE_ENOMEM;
    }
    if (error == 0)
        error = graphs_open_types(&c.types, &options->inputs.source,
                                  options->inputs.graph, err);
    if (error == 0 && options->model == MODEL_LINKS)
        error = graph_messages_open_source(&c.types, &options->inputs.source,
                                           &options->inputs.rates, err);
    if (error == 0 && options->model == MODEL_PORTS)
        error = ports_model_open(&c.ports, &options->inputs, &c.types, err);
    if (error == 0)
        error = estimate_mappings(&c, err);
    if (error == 0 && options->random > 0)
        error = estimate_random(&c.random, &c.nrandom, options->random,
                                options->inputs.alloc,
                                mapcore_graph_ntasks(options->inputs.graph),
                                options->seed, random_time, &c, err);
    if (error == 0) {
        const bool by_ports = options->model == MODEL_PORTS;

        c.unit =
            inputs_time_unit(&options->inputs, by_ports || c.types.is_profile);
        c.port_unit =
            by_ports ? QUANTITY_SECONDS : inputs_port_unit(&options->inputs);
    }
    if (error == 0 && options->json)
        error = print_json(&c, err);
    else if (error == 0 && options->csv)
        print_csv(&c);
    else if (error == 0)
        print_text(&c);
    for (size_t i = 0; c.mapping && i < c.n; i++) {
        free(c.mapping[i].types);
        free(c.mapping[i].seconds);
    }
    compared_close(c.compared, c.n);
    free(c.mapping);
    free(c.random);
    ports_model_close(&c.ports);
    graphs_clear_types(&c.types);
    return error;
}

int estimate_main(int argc, char **argv)
{
    struct estimate_options options = {.seed = 1};
    struct mapcore_error err;
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv)) {
        if (estimate(&options, &err) < 0)
            status = tool_fail("%s", err.text);
    }
    inputs_close(&options.inputs);
    free(options.mappings.item);
    return status;
}
