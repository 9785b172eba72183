/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* play_main.c - topomap play: how long mappings take when messages share the
 * network fairly */
#include "config.h"

#include "tools/common/command_line.h"

#include "base/array.h"
#include "tools/common/graph_messages.h"
#include "tools/common/graph_order.h"
#include "tools/play/played.h"
#include "tools/play/timeline.h"

#include <stdlib.h>
#include <string.h>

/* Which messages of a type wait for others. */
enum play_messages { MESSAGES_IN_ORDER, MESSAGES_AT_ONCE };

struct play_options {
    struct inputs inputs;
    struct tool_list mappings;
    enum mapcore_routing routing;
    enum play_messages order;
    double merge;
    uint64_t seed;
    const char *timeline;
    bool json, csv;
};

static const struct option_word routings[] = {
    {"static", MAPCORE_ROUTING_STATIC,
     "as the network is described: by dimensions, up and down", false},
    {"ecmp", MAPCORE_ROUTING_ECMP, "each flow any shortest path, by chance",
     false},
    {"adaptive", MAPCORE_ROUTING_ADAPTIVE,
     "the least loaded shortest path, flow after flow", false},
    {"ugal", MAPCORE_ROUTING_UGAL, "that, or a detour where it is less loaded",
     false},
    {NULL, 0, NULL, false},
};

static const struct option_word orders[] = {
    {"recorded", MESSAGES_IN_ORDER,
     "as tasks first sent to each other, where a profile knows it", false},
    {"none", MESSAGES_AT_ONCE, "all of a type at once", false},
    {NULL, 0, NULL, false},
};

static const struct option_row operands[] = {
    {.name = "GRAPH",
     OPTION_INTO(struct play_options, inputs.source.path),
     .required = true,
     .help = GRAPHS_OPERAND_HELP},
    {.name = NULL},
};

static const struct option_row rows[] = {
    {.name = "mapping",
     .argument = "MAPPING",
     OPTION_INTO(struct play_options, mappings),
     .help =
         "play it, too, beside the block layout: a file, or cyclic or another mapper (topomap map --list), run once; may be repeated"},
    {.name = "routing",
     .argument = "WHAT",
     OPTION_WORD_INTO(struct play_options, routing, routings),
     .shows_default = true,
     .help = "which way a flow goes"},
    {.name = "order",
     .argument = "WHAT",
     OPTION_WORD_INTO(struct play_options, order, orders),
     .shows_default = true,
     .help = "which messages wait for others"},
    {.name = "merge",
     .argument = "SHARE",
     OPTION_INTO(struct play_options, merge),
     .least = 0,
     .most = 1,
     .shows_default = true,
     .help = "flows that end within this share of the slowest port's time end "
             "together, at the last one's; 0: exact, and slow for many"},
    {.name = "seed",
     .argument = "N",
     OPTION_INTO(struct play_options, seed),
     .min = 1,
     .shows_default = true,
     .help = "of the ways that chance chooses"},
    {.name = "timeline",
     .argument = "FILE",
     OPTION_INTO(struct play_options, timeline),
     .help = "write each step and each port there, as JSON Lines; -: to "
             "stdout, instead of the table"},
    {.name = "json",
     OPTION_INTO(struct play_options, json),
     .help =
         "an object with routing, order, mappings (the time of each) and use"},
    {.name = "csv",
     OPTION_INTO(struct play_options, csv),
     .help = "comma-separated values, a line a mapping and type of call"},
    {.name = NULL},
};

static const struct command_line line = {
    .name = "play",
    .about = "Lets the messages of a task graph flow through the network, all "
             "of a type at once, or in the order that was recorded, and each "
             "with its fair share, and says how long they take under the "
             "block layout and other mappings.",
    .operands = operands,
    .groups = {{inputs_rows, offsetof(struct play_options, inputs)},
               {graphs_rows, offsetof(struct play_options, inputs.source)},
               {inputs_rates_rows, offsetof(struct play_options, inputs)},
               {rows, 0}},
};

/* What messages take beside their bytes goes on top of those: what is played is
 * then never below the bound, which is the estimate with the ways of the flows.
 */
static int add_messages(struct mapcore_play *out,
                        const struct played *p,
                        const struct mapcore_work_type *type,
                        size_t phase,
                        const uint32_t *host,
                        const struct mapcore_host_rates *rates,
                        struct mapcore_error *err)
{
    struct mapcore_message_time time;
    int error = mapcore_work_type_messages(&time, type, phase, p->inputs->alloc,
                                           host, rates, err);

    if (error < 0)
        return error;
    if (time.slowest.time > out->bound) {
        out->bound = time.slowest.time;
        out->port = time.slowest.port;
    }
    out->time += time.messages + time.latency;
    out->bound += time.latency;
    return 0;
}

/* stage: of the flows of the graph, or of its one phase; NULL: all at once. */
static int play_phase(struct mapcore_play *out,
                      const struct played *p,
                      const struct mapcore_work_type *type,
                      const uint8_t *stage,
                      size_t phase,
                      const uint32_t *host,
                      const struct mapcore_play_how *how,
                      const struct mapcore_play_watch *watch,
                      struct mapcore_error *err)
{
    const struct mapcore_alloc *alloc = p->inputs->alloc;

    if (type->phases)
        return mapcore_play_phase(out, type->phases, phase, stage, alloc, host,
                                  how, watch, err);
    return stage ? mapcore_play_ordered(out, type->graph, stage, alloc, host,
                                        how, watch, err)
                 : mapcore_play_flows(out, type->graph, alloc, host, how, watch,
                                      err);
}

/* A type, phase after phase: times, flows and steps add up, and the port is the
 * slowest one of the longest phase. */
static int play_under(struct mapcore_play *out,
                      const struct played *p,
                      size_t mapping,
                      size_t type,
                      const struct mapcore_work_type *under,
                      const struct mapcore_play_how *how,
                      struct timeline *timeline,
                      struct mapcore_error *err)
{
    const struct graph_type *of = &p->types.type[type];
    const uint32_t *host = p->compared[mapping].mapping->host;
    const struct mapcore_play_watch watch = timeline_watch(timeline);
    const size_t n = under->phases ? under->phases->n : 1;
    double longest = 0;
    int error = 0;

    *out = (struct mapcore_play){0};
    for (size_t i = 0; error == 0 && i < n; i++) {
        struct mapcore_play phase;

        if (timeline) {
            timeline->mapping = p->compared[mapping].name;
            timeline->type = of->name;
            timeline->has_stages = of->order != NULL;
            timeline->nphases = (uint32_t)n;
            timeline->phase = (uint32_t)i;
            timeline->began = out->time;
        }
        error = play_phase(&phase, p, under, of->order, i, host, how,
                           timeline ? &watch : NULL, err);
        if (error == 0)
            error = add_messages(&phase, p, under, i, host, &how->rates, err);
        if (error < 0)
            break;
        if (phase.bound > longest) {
            longest = phase.bound;
            out->port = phase.port;
        }
        out->time += phase.time;
        out->bound += phase.bound;
        out->flows += phase.flows;
        out->steps += phase.steps;
        out->stages = phase.stages;
    }
    return error;
}

static int play_type(struct mapcore_play *out,
                     const struct played *p,
                     size_t mapping,
                     size_t type,
                     const struct mapcore_play_how *how,
                     struct timeline *timeline,
                     struct mapcore_error *err)
{
    const struct mapcore_work_type work = graphs_work_type(&p->types, type);
    struct mapcore_work_type under;
    struct mapcore_phases *phases;
    int error = mapcore_work_type_under(
        &under, &phases, &work, p->compared[mapping].mapping->host, err);

    if (error == 0)
        error = play_under(out, p, mapping, type, &under, how, timeline, err);
    mapcore_phases_destroy(phases);
    return error;
}

/* All types under all mappings. timeline: NULL for none. */
static int play_all(struct played *p,
                    const struct mapcore_play_how *how,
                    struct timeline *timeline,
                    struct mapcore_error *err)
{
    int error = 0;

    for (size_t m = 0; error == 0 && m < p->n; m++) {
        for (size_t i = 0; error == 0 && i < p->types.n; i++)
            error = play_type(&p->play[m * p->types.n + i], p, m, i, how,
                              timeline, err);
        for (size_t i = 0; error == 0 && i < p->types.n; i++)
            p->seconds[m] += played_seconds(p, m, i);
    }
    if (error == 0)
        p->use = compared_best(p->seconds, p->n);
    return error;
}

static int open_all(struct played *p,
                    struct play_options *options,
                    struct mapcore_error *err)
{
    struct inputs *inputs = &options->inputs;
    int error = inputs_open(inputs, err);

    if (error == 0)
        error =
            graphs_open_types(&p->types, &inputs->source, inputs->graph, err);
    if (error == 0)
        error = graph_messages_open_source(&p->types, &inputs->source,
                                           &inputs->rates, err);
    if (error == 0 && options->order == MESSAGES_IN_ORDER)
        error = graph_order_open(&p->types, &inputs->source, err);
    if (error == 0)
        error = compared_open(&p->compared, &options->mappings, inputs, err);
    if (error < 0)
        return error;
    p->is_asked = options->order == MESSAGES_IN_ORDER;
    for (size_t i = 0; i < p->types.n; i++)
        p->is_ordered = p->is_ordered || p->types.type[i].order;
    p->play = array_alloc(p->n * p->types.n, sizeof(*p->play), err);
    p->seconds = array_alloc(p->n, sizeof(*p->seconds), err);
    return p->play && p->seconds ? 0 : MAPCORE_ENOMEM;
}

static int play(struct play_options *options, struct mapcore_error *err)
{
    struct mapcore_play_how how = {.routing = options->routing,
                                   .seed = options->seed,
                                   .merge = options->merge};
    struct played p = {.inputs = &options->inputs,
                       .routing = routings[options->routing].name,
                       .n = options->mappings.n + 1};
    struct timeline timeline = {0};
    struct tool_output output = {0};
    bool is_stdout = options->timeline && strcmp(options->timeline, "-") == 0;
    int error;

    if (is_stdout && (options->json || options->csv))
        return error_set(err, MAPCORE_EINVAL,
                         "either --%s or --timeline - can have stdout",
                         options->json ? "json" : "csv");
    error = open_all(&p, options, err);
    how.rates = options->inputs.rates;
    if (error == 0 && options->timeline) {
        error = tool_output_open(&output, options->timeline, err);
        if (error == 0)
            json_writer_start_lines(&timeline.writer, output.file);
        timeline.alloc = options->inputs.alloc;
        timeline.unit = inputs_port_unit(&options->inputs);
    }
    if (error == 0)
        error = play_all(&p, &how, options->timeline ? &timeline : NULL, err);
    if (error == 0 && options->timeline)
        error = tool_output_commit(&output, err);
    if (error == 0)
        p.unit = inputs_time_unit(&options->inputs, p.types.is_profile);
    if (error == 0 && options->json)
        error = played_print_json(&p, err);
    else if (error == 0 && options->csv)
        played_print_csv(&p);
    else if (error == 0 && !is_stdout)
        played_print(&p);
    if (options->timeline)
        tool_output_abandon(&output);
    compared_close(p.compared, p.n);
    graphs_clear_types(&p.types);
    free(p.play);
    free(p.seconds);
    return error;
}

int play_main(int argc, char **argv)
{
    struct play_options options = {.seed = 1, .merge = 0.01};
    struct mapcore_error err;
    int status;

    if (command_line_parse(&status, &line, &options, argc, argv) &&
        play(&options, &err) < 0)
        status = tool_fail("%s", err.text);
    inputs_close(&options.inputs);
    free(options.mappings.item);
    return status;
}
