/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_print.c - what topomap eval answers: mappings, and of each its types,
 * phases, links and ranks */
#include "config.h"

#include "tools/eval/eval.h"

#include "profiles/profile.h"
#include "tools/map_report.h"

#include <math.h>

enum { NAME = 640 }; /* of a link or a port */

/* In the unit of the table, which its key says. */
static void put_time(struct json_writer *writer,
                     const struct eval *e,
                     const char *name,
                     double time)
{
    char key[QUANTITY_TEXT];

    json_put_double(writer, quantity_time_key(key, name, e->unit), time);
}

/* The slowest port. */
static void put_busiest(struct json_writer *writer,
                        const struct eval *e,
                        struct mapcore_port port)
{
    char name[NAME];

    mapcore_port_name(mapcore_alloc_by_rail(e->options->inputs.alloc), port,
                      name, sizeof(name));
    json_put_string(writer, "busiest", name);
}

static void put_parts(struct json_writer *writer,
                      const struct eval *e,
                      double latency,
                      double messages)
{
    if (!e->has_parts)
        return;
    put_time(writer, e, "latency", latency);
    put_time(writer, e, "messages", messages);
}

static void put_row(struct json_writer *writer,
                    const struct eval *e,
                    const struct eval_row *row)
{
    const struct inputs *inputs = &e->options->inputs;

    json_put_string(writer, "mapping", row->is.title);
    json_put_string(writer, "from", row->is_file ? row->word : row->found);
    report_json(writer, &row->is.metrics, inputs->alloc);
    report_max_json(writer, &row->is.metrics);
    if (inputs->hwnode)
        report_inside_json(writer, &row->is.inside);
    put_time(writer, e, "time", row->time);
    json_put_double(writer, "gain", row->gain);
    put_parts(writer, e, row->latency, row->messages);
    put_busiest(writer, e, row->busiest);
    put_time(writer, e, "without_busiest", row->without_busiest);
    if (row->is_file) { /* which has no search */
        json_put_null(writer, "search_s");
        json_put_null(writer, "work");
        json_put_null(writer, "cut");
    } else {
        json_put_double(writer, "search_s", row->search_s);
        json_put_u64(writer, "work", row->work);
        json_put_bool(writer, "cut", row->was_cut);
    }
}

static void put_types(struct json_writer *writer,
                      const struct eval *e,
                      const struct eval_row *row)
{
    const bool is_played = e->options->play != EVAL_NO_PLAY;

    json_begin_array(writer, "types");
    for (size_t i = 0; i < e->types.n; i++) {
        const struct eval_type *type = &row->type[i];

        json_begin_object(writer, NULL);
        json_put_string(writer, "type", type->type);
        put_time(writer, e, "time", type->time);
        put_parts(writer, e, type->latency, type->messages);
        put_time(writer, e, "slowest_port", type->slowest_port);
        json_put_double(writer, is_played ? "played" : "estimated",
                        type->estimated);
        put_busiest(writer, e, type->estimate.port);
        if (is_played) {
            json_put_u64(writer, "flows", type->play.flows);
            json_put_u64(writer, "steps", type->play.steps);
            json_put_u64(writer, "stages", type->play.stages);
        }
        json_end_object(writer);
    }
    json_end_array(writer);
}

/* Phases that the program has named, each with the types in it; NULL: types
 * known of all phases together only. */
static void put_phase(struct json_writer *writer,
                      const struct eval *e,
                      const struct eval_row *row,
                      const struct profile_phase *phase)
{
    char word[PROFILE_PHASE_WORD];
    double time = 0;
    size_t n = 0;

    for (size_t i = 0; i < e->types.n; i++)
        if (e->types.type[i].phase == phase) {
            time += row->type[i].time;
            n++;
        }
    if (!phase && n == 0)
        return;
    json_begin_object(writer, NULL);
    json_put_string(writer, "phase",
                    phase ? profile_phase_word(word, phase) : "any");
    put_time(writer, e, "time", time);
    json_end_object(writer);
}

static void put_phases(struct json_writer *writer,
                       const struct eval *e,
                       const struct eval_row *row)
{
    json_begin_array(writer, "phases");
    for (size_t k = 0; k < e->types.profile->nphases; k++)
        put_phase(writer, e, row, &e->types.profile->phases[k]);
    put_phase(writer, e, row, NULL);
    json_end_array(writer);
}

/* The time is that of one direction, where a cable has two. */
static void put_links(struct json_writer *writer,
                      const struct eval *e,
                      const struct eval_row *row)
{
    const struct mapcore_topo *topo =
        mapcore_alloc_topo(mapcore_alloc_by_rail(e->options->inputs.alloc));
    const bool is_stated = mapcore_topo_has_capacities(topo);
    char name[NAME];

    json_begin_array(writer, "links");
    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        const double capacity = mapcore_topo_link_capacity(topo, l);

        mapcore_topo_link_name(topo, l, name, sizeof(name));
        json_begin_object(writer, NULL);
        json_put_string(writer, "link", name);
        json_put_double(writer, "capacity", is_stated ? capacity : NAN);
        json_put_double(writer, "bytes", row->is.load[l]);
        json_put_double(writer, "time",
                        row->is.load[l] / mapcore_topo_link_directions(topo) /
                            capacity);
        json_end_object(writer);
    }
    json_end_array(writer);
}

/* What a rank exchanges, both directions together; its node's name, or number
 * in the topology. */
static void put_rank(struct json_writer *writer,
                     const struct inputs *inputs,
                     const struct mapcore_mapping *mapping,
                     uint32_t rank)
{
    const struct mapcore_alloc *alloc = inputs->alloc;
    const uint32_t host = mapping->host[rank];
    const uint32_t node = mapcore_alloc_host(alloc, host);
    const uint32_t from =
        mapcore_alloc_rail_host(alloc, host, mapping->slot[rank]);
    const char *name = mapcore_topo_host_name(inputs->topo, node);
    uint64_t sum = 0, off_node = 0;
    double hop_bytes = 0;
    char number[16];
    const uint32_t *peers;
    const uint64_t *bytes;
    const size_t n =
        mapcore_graph_neighbours(inputs->graph, rank, &peers, &bytes);

    for (size_t i = 0; i < n; i++) {
        const uint32_t other = mapping->host[peers[i]];
        const uint32_t to =
            mapcore_alloc_rail_host(alloc, other, mapping->slot[peers[i]]);

        sum += bytes[i];
        if (host == other)
            continue;
        off_node += bytes[i];
        hop_bytes +=
            (double)bytes[i] *
            mapcore_alloc_distance(mapcore_alloc_by_rail(alloc), from, to);
    }
    snprintf(number, sizeof(number), "%u", node);
    json_begin_object(writer, NULL);
    json_put_u64(writer, "rank", rank);
    json_put_string(writer, "node", name ? name : number);
    json_put_u64(writer, "slot", mapping->slot[rank]);
    json_put_u64(writer, "bytes", sum);
    json_put_u64(writer, "off_node_bytes", off_node);
    json_put_double(writer, "hop_bytes", hop_bytes);
    json_put_double(writer, "hops_per_byte",
                    sum > 0 ? hop_bytes / (double)sum : 0);
    json_end_object(writer);
}

static void put_mapping(struct json_writer *writer,
                        const struct eval *e,
                        const struct eval_row *row)
{
    const struct eval_options *options = e->options;

    json_begin_object(writer, NULL);
    put_row(writer, e, row);
    if (options->by_type && e->types.n > 0)
        put_types(writer, e, row);
    if (options->by_type && e->types.has_phases)
        put_phases(writer, e, row);
    if (options->links && mapcore_topo_nlinks(options->inputs.topo) > 0)
        put_links(writer, e, row);
    if (options->ranks) {
        json_begin_array(writer, "ranks");
        for (uint32_t t = 0; t < row->is.mapping->ntasks; t++)
            put_rank(writer, &options->inputs, row->is.mapping, t);
        json_end_array(writer);
    }
    json_end_object(writer);
}

int eval_print(const struct eval *e, const char *sorted_by)
{
    const struct eval_options *options = e->options;
    struct answer answer;
    struct json_writer *writer =
        answer_begin(&answer, stdout, &options->form, "eval", NULL);

    json_put_string(writer, "sorted_by", sorted_by);
    json_put_bool(writer, "interrupted", e->signal != 0);
    json_put_string(writer, "time_unit", quantity_time_name(e->unit));
    json_put_string(writer, "port_unit", quantity_time_name(e->port_unit));
    if (options->play)
        json_put_string(writer, "order", e->is_ordered ? "recorded" : "none");
    json_begin_array(writer, "mappings");
    for (size_t i = 0; i < e->made; i++)
        put_mapping(writer, e, &e->row[i]);
    json_end_array(writer);
    json_put_string(writer, "use", eval_times_best(e));
    if (!options->form.json) { /* for its notes */
        json_put_string(writer, "block", e->block.is.title);
        json_put_bool(writer, "by_type", options->by_type);
        json_put_bool(writer, "is_profile", e->types.is_profile);
        json_put_bool(writer, "asks_order", options->order == EVAL_RECORDED);
    }
    return answer_end(&answer, 0, e->err);
}
