/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_times.c - how long the types of a graph take under a mapping: by the
 * slowest link, by ports, or played */
#include "config.h"

#include "tools/eval/eval.h"

#include "base/array.h"
#include "tools/inputs/graph_order.h"
#include "tools/inputs/graphs_scale.h"
#include "tools/site/site.h"

#include <math.h>
#include <stdlib.h>

/* What is less is not worth moving ranks for, as for topomap plan. */
#define WORTH 0.01

/* What messages take beside their bytes goes on top of those: what is played is
 * then never below the bound, which is the estimate with the ways of the flows.
 */
static int add_messages(struct mapcore_play *out,
                        const struct inputs *inputs,
                        const struct mapcore_work_type *type,
                        const struct mapcore_play_source *source,
                        struct mapcore_error *err)
{
    struct mapcore_estimate time;
    int error =
        mapcore_work_type_messages(&time, type, source->phase, source->alloc,
                                   source->host, &inputs->rates, err);

    if (error < 0)
        return error;
    if (time.time > out->bound) {
        out->bound = time.time;
        out->port = time.port;
    }
    out->time += time.messages + time.latency;
    out->bound += time.latency;
    return 0;
}

static int play_phase(struct mapcore_play *out,
                      const struct eval *e,
                      const struct mapcore_work_type *type,
                      const struct mapcore_play_source *source)
{
    const struct eval_options *options = e->options;
    struct mapcore_play_how how = {
        .seed = options->search.seed,
        .merge = options->merge,
        .rates = mapcore_rates_by_rail(&options->inputs.rates,
                                       options->inputs.alloc)};
    int error;

    if (options->play >= EVAL_PLAY_BY)
        how.rates.routing =
            (enum mapcore_routing)(options->play - EVAL_PLAY_BY);
    error = mapcore_play_flows(out, source, &how, e->err);
    return error < 0
               ? error
               : add_messages(out, &options->inputs, type, source, e->err);
}

static bool is_ordered(const struct eval *e, const struct graph_type *type)
{
    return e->options->play && e->options->order == EVAL_RECORDED &&
           type->order;
}

/* A type, phase after phase: times, flows and steps add up, and the port is the
 * slowest one of the longest phase. */
static int play_type(struct mapcore_play *out,
                     const struct eval *e,
                     size_t i,
                     const struct mapcore_places *at)
{
    const struct graph_type *type = &e->types.type[i];
    struct mapcore_work_type work = graphs_work_type(&e->types, i);
    struct mapcore_work_type under;
    struct mapcore_phases *phases;
    double longest = 0;
    size_t n;
    int error;

    /* Played, each task goes from stage to stage when it can. */
    if (type->ordered)
        work.phases = type->messages;
    error = mapcore_work_type_under(&under, &phases, &work, at->host, e->err);
    n = error == 0 && under.phases ? under.phases->n : 1;
    *out = (struct mapcore_play){0};
    for (size_t k = 0; error == 0 && k < n; k++) {
        /* The order is of the flows of the graph, or of its one phase. */
        const struct mapcore_play_source source = {
            .graph = under.phases ? NULL : under.graph,
            .phases = under.phases,
            .phase = k,
            .stage = is_ordered(e, type) ? type->order : NULL,
            .alloc = at->alloc,
            .host = at->host};
        struct mapcore_play phase;

        error = play_phase(&phase, e, &under, &source);
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
    mapcore_phases_destroy(phases);
    return error;
}

static int estimate_type(struct eval_type *out,
                         const struct eval *e,
                         size_t i,
                         const struct eval_mapping *is)
{
    const struct eval_options *options = e->options;
    const struct inputs *inputs = &options->inputs;
    const struct mapcore_work_type type = graphs_work_type(&e->types, i);
    const struct mapcore_host_rates of_node =
        graphs_rates(&e->types, &inputs->rates);
    const struct mapcore_host_rates rates =
        mapcore_rates_by_rail(&of_node, inputs->alloc);
    int error;

    if (options->model == EVAL_PORTS)
        return ports_model_estimate(&out->estimate, &e->ports, i, inputs->alloc,
                                    is->mapping);
    if (options->play == EVAL_NO_PLAY)
        return mapcore_work_type_estimate(&out->estimate, &type, is->at.alloc,
                                          is->at.host, &rates, e->err);
    error = play_type(&out->play, e, i, &is->at);
    out->estimate = (struct mapcore_estimate){
        .time = out->play.time, .next_time = NAN, .port = out->play.port};
    return error;
}

static int estimate_types(struct eval_row *row, const struct eval *e)
{
    const struct graph_types *types = &e->types;
    int error = 0;

    row->type = array_alloc(types->n, sizeof(*row->type), e->err);
    if (!row->type)
        return MAPCORE_ENOMEM;
    for (size_t i = 0; error == 0 && i < types->n; i++) {
        error = estimate_type(&row->type[i], e, i, &row->is);
        row->type[i].type = types->type[i].name;
        row->type[i].estimated = row->type[i].estimate.time;
    }
    return error;
}

static void add_up(struct eval_row *row, const struct eval *e)
{
    const struct graph_types *types = &e->types;
    size_t longest = 0;
    double next;

    for (size_t i = 0; i < types->n; i++) {
        struct eval_type *type = &row->type[i];
        const double scale = types->type[i].scale;

        type->time = graphs_scale_seconds(types, i, type->estimated);
        type->slowest_port = graphs_scale_seconds(
            types, i, e->options->play ? type->play.bound : type->estimated);
        type->latency = scale * type->estimate.latency;
        type->messages = scale * type->estimate.messages;
        row->time += type->time;
        row->latency += type->latency;
        row->messages += type->messages;
        longest = type->time > row->type[longest].time ? i : longest;
    }
    if (types->n == 0)
        return;
    /* Of the time of that type, what is left without its slowest port. */
    next = graphs_scale_seconds(types, longest,
                                row->type[longest].estimate.next_time);
    row->without_busiest = row->time - row->type[longest].time + next;
    row->busiest = row->type[longest].estimate.port;
    row->gain = e->block.time > 0 ? 1 - row->time / e->block.time : 0;
}

int eval_times_compute(struct eval_row *row, const struct eval *e)
{
    int error = estimate_types(row, e);

    if (error == 0)
        add_up(row, e);
    return error;
}

/* What all others are compared with. */
static int compute_block(struct eval *e)
{
    const struct inputs *inputs = &e->options->inputs;
    double *block = array_alloc(e->types.n, sizeof(*block), e->err);
    int error = block ? estimate_types(&e->block, e) : MAPCORE_ENOMEM;

    for (size_t i = 0; error == 0 && i < e->types.n; i++)
        block[i] = e->block.type[i].estimated;
    if (error == 0) {
        graphs_scale(
            &e->types, block,
            &(struct graphs_scaling){
                e->options->model == EVAL_PORTS ||
                    site_rates_unit(&inputs->rates,
                                    mapcore_alloc_topo(inputs->alloc)) ==
                        QUANTITY_SECONDS,
                mapcore_message_costs_known(&inputs->rates.message)});
        add_up(&e->block, e);
    }
    free(block);
    return error;
}

/* Latency and messages are the links' model's. */
static bool has_parts(const struct eval *e)
{
    bool has = false;

    for (size_t i = 0; i < e->types.n; i++)
        has = has || e->types.type[i].phases || e->types.type[i].messages;
    return has && e->options->model == EVAL_LINKS &&
           e->options->play == EVAL_NO_PLAY &&
           mapcore_message_costs_known(&e->options->inputs.rates.message);
}

int eval_times_open(struct eval *e)
{
    const bool by_ports = e->options->model == EVAL_PORTS;
    const struct inputs *inputs = &e->options->inputs;
    int error =
        graphs_open_types(&e->types, &inputs->source, inputs->graph, e->err);

    if (error == 0 && by_ports)
        error = ports_model_open(&e->ports, inputs, &e->types);
    else if (error == 0)
        error = graph_order_open_source(&e->types, &inputs->source,
                                        &inputs->rates, e->err);
    if (error < 0)
        return error;
    for (size_t i = 0; i < e->types.n; i++)
        e->is_ordered = e->is_ordered || is_ordered(e, &e->types.type[i]);
    e->has_parts = has_parts(e);
    e->unit = inputs_time_unit(inputs, by_ports || e->types.is_profile);
    e->port_unit = by_ports ? QUANTITY_SECONDS : inputs_port_unit(inputs);
    e->block = (struct eval_row){.word = "block", .is.title = "block"};
    error = mapcore_mapping_block(&e->block.is.mapping, inputs->alloc,
                                  mapcore_graph_ntasks(inputs->graph), e->err);
    if (error == 0)
        error = mapcore_places_open(&e->block.is.at, inputs->alloc,
                                    e->block.is.mapping, e->err);
    return error < 0 ? error : compute_block(e);
}

const char *eval_times_best(const struct eval *e)
{
    const struct eval_row *best = &e->block;

    for (size_t i = 0; i < e->made; i++)
        if (e->row[i].time < best->time &&
            e->row[i].time <= (1 - WORTH) * e->block.time)
            best = &e->row[i];
    return best->is.title;
}

void eval_times_close(struct eval *e)
{
    eval_mapping_clear(&e->block.is);
    free(e->block.type);
    ports_model_close(&e->ports);
    graphs_clear_types(&e->types);
}
