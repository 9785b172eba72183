/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_print.c - the tables of topomap eval: mappings, and of each its types,
 * phases, links and ranks */
#include "config.h"

#include "tools/eval/eval.h"

#include "base/array.h"
#include "profiles/profile.h"
#include "tools/map_report.h"
#include "tools/table/answer.h"

#include <math.h>
#include <stdlib.h>

/* ---- mappings; arg is the struct eval */

static void get_from(struct table_value *out, const struct table_place *place)
{
    const struct eval_row *row = place->row;

    table_set_text(out, row->is_file ? row->word : row->found);
}

static void get_link(struct table_value *out, const struct table_place *place)
{
    const struct eval *e = place->arg;
    const uint32_t link = *(const uint32_t *)place->member;

    if (link == MAPCORE_NONE)
        return;
    mapcore_topo_link_name(e->options->inputs.topo, link, out->memory,
                           sizeof(out->memory));
    table_set_text(out, out->memory);
}

static void get_port(struct table_value *out, const struct table_place *place)
{
    const struct eval *e = place->arg;
    const struct mapcore_port *port = place->member;

    mapcore_port_name(e->options->inputs.alloc, *port, out->memory,
                      sizeof(out->memory));
    table_set_text(out, out->memory);
}

static void get_max_hops(struct table_value *out,
                         const struct table_place *place)
{
    const struct eval_row *row = place->row;

    table_set_number(out, report_max_hops_per_byte(&row->is.metrics));
}

/* A file has no search. */
static void get_search(struct table_value *out, const struct table_place *place)
{
    const struct eval_row *row = place->row;

    if (!row->is_file)
        table_set_number(out, row->search_s);
}

static void get_work(struct table_value *out, const struct table_place *place)
{
    const struct eval_row *row = place->row;

    if (!row->is_file)
        table_set_count(out, row->work);
}

static void get_cut(struct table_value *out, const struct table_place *place)
{
    const struct eval_row *row = place->row;

    if (!row->is_file)
        table_set_truth(out, row->was_cut);
}

static bool has_node(const void *arg)
{
    const struct eval *e = arg;

    return e->options->inputs.hwnode;
}

static bool has_parts(const void *arg)
{
    const struct eval *e = arg;

    return e->has_parts;
}

static bool is_played(const void *arg)
{
    const struct eval *e = arg;

    return e->options->play != EVAL_NO_PLAY;
}

static bool is_estimated(const void *arg)
{
    return !is_played(arg);
}

#define OF_ROW(member)    TABLE_MEMBER(struct eval_row, member)
#define OF_METRIC(member) OF_ROW(is.metrics.member)
#define OF_INSIDE(member) .shown = has_node, OF_ROW(is.inside.member)
#define OF_PARTS(member)  .shown = has_parts, member

static const struct table_column mapping_columns[] = {
    {"mapping", OF_ROW(is.title)},
    {"from", .get = get_from},
    {"avg_hop_bytes", OF_METRIC(avg_hop_bytes)},
    {"max_hop_bytes", OF_METRIC(max_hop_bytes)},
    {"hops_per_byte", OF_METRIC(hops_per_byte)},
    {"off_node_bytes", OF_METRIC(off_node_bytes)},
    {"max_link_bytes", OF_METRIC(max_link_bytes)},
    {"max_link", .get = get_link, OF_METRIC(max_link)},
    {"max_link_time", OF_METRIC(max_link_time)},
    {"max_time_link", .get = get_link, OF_METRIC(max_time_link)},
    {"max_hops_per_byte", .get = get_max_hops},
    {"avg_inside_hop_bytes", OF_INSIDE(avg_inside_hop_bytes)},
    {"inside_hops_per_byte", OF_INSIDE(inside_hops_per_byte)},
    {"inside_bytes", OF_INSIDE(inside_bytes)},
    {"time", .is_time = true, OF_ROW(time)},
    {"gain", OF_ROW(gain)},
    {"latency", .is_time = true, OF_PARTS(OF_ROW(latency))},
    {"messages", .is_time = true, OF_PARTS(OF_ROW(messages))},
    {"busiest", .get = get_port, .offset = offsetof(struct eval_row, busiest)},
    {"without_busiest", .is_time = true, OF_ROW(without_busiest)},
    {"search_s", .get = get_search},
    {"work", .get = get_work},
    {"cut", .get = get_cut},
    {0}};

/* ---- types */

#define OF_TYPE(member) TABLE_MEMBER(struct eval_type, member)

static const struct table_column type_columns[] = {
    {"type", OF_TYPE(type)},
    {"time", .is_time = true, OF_TYPE(time)},
    {"latency", .is_time = true, OF_PARTS(OF_TYPE(latency))},
    {"messages", .is_time = true, OF_PARTS(OF_TYPE(messages))},
    {"slowest_port", .is_time = true, OF_TYPE(slowest_port)},
    {"estimated", .shown = is_estimated, OF_TYPE(estimated)},
    {"played", .shown = is_played, OF_TYPE(estimated)},
    {"busiest", .get = get_port,
     .offset = offsetof(struct eval_type, estimate.port)},
    {"flows", .shown = is_played, OF_TYPE(play.flows)},
    {"steps", .shown = is_played, OF_TYPE(play.steps)},
    {"stages", .shown = is_played, OF_TYPE(play.stages)},
    {0}};

/* ---- phases that the program has named, each with the types in it */

struct phase {
    const char *name; /* of word, or "any": of all phases together */
    char word[PROFILE_PHASE_WORD];
    double time;
};

static const struct table_column phase_columns[] = {
    {"phase", TABLE_MEMBER(struct phase, name)},
    {"time", .is_time = true, TABLE_MEMBER(struct phase, time)},
    {0}};

/* ---- links and ranks */

struct link {
    uint32_t number;
    double capacity; /* NAN: none is stated */
    double bytes, time;
};

static const struct table_column link_columns[] = {
    {"link", .get = get_link, TABLE_MEMBER(struct link, number)},
    {"capacity", TABLE_MEMBER(struct link, capacity)},
    {"bytes", TABLE_MEMBER(struct link, bytes)},
    {"time", TABLE_MEMBER(struct link, time)},
    {0}};

/* What a rank exchanges, both directions together. */
struct rank_bytes {
    uint32_t rank, host, slot;
    uint64_t bytes, off_node;
    double hop_bytes, hops_per_byte;
};

/* Its name, or its number in the topology. */
static void get_node(struct table_value *out, const struct table_place *place)
{
    const struct eval *e = place->arg;
    const struct rank_bytes *rank = place->row;
    const uint32_t node =
        mapcore_alloc_host(e->options->inputs.alloc, rank->host);
    const char *name = mapcore_topo_host_name(e->options->inputs.topo, node);

    if (name)
        table_set_text(out, name);
    else
        table_printf(out, "%u", node);
}

static const struct table_column rank_columns[] = {
    {"rank", TABLE_MEMBER(struct rank_bytes, rank)},
    {"node", .get = get_node},
    {"slot", TABLE_MEMBER(struct rank_bytes, slot)},
    {"bytes", TABLE_MEMBER(struct rank_bytes, bytes)},
    {"off_node_bytes", TABLE_MEMBER(struct rank_bytes, off_node)},
    {"hop_bytes", TABLE_MEMBER(struct rank_bytes, hop_bytes)},
    {"hops_per_byte", TABLE_MEMBER(struct rank_bytes, hops_per_byte)},
    {0}};

/* A further table: rows of every mapping, `each` of one. */
struct detail {
    const char *name;
    const struct table_column *columns;
    size_t size;
    bool (*is_asked)(const struct eval *e);
    size_t (*count)(const struct eval *e);
    /* Sets rows[count] of a mapping. */
    void (*fill)(void *rows, const struct eval *e, const struct eval_row *row);
};

static bool asks_types(const struct eval *e)
{
    return e->options->by_type;
}

static size_t count_types(const struct eval *e)
{
    return e->types.n;
}

static void fill_types(void *rows,
                       const struct eval *e,
                       const struct eval_row *row)
{
    struct eval_type *type = rows;

    for (size_t i = 0; i < e->types.n; i++)
        type[i] = row->type[i];
}

/* One more where a type is known of all phases together only. */
static size_t count_phases(const struct eval *e)
{
    if (!e->types.has_phases)
        return 0;
    for (size_t i = 0; i < e->types.n; i++)
        if (!e->types.type[i].phase)
            return e->types.profile->nphases + 1;
    return e->types.profile->nphases;
}

static void fill_phases(void *rows,
                        const struct eval *e,
                        const struct eval_row *row)
{
    struct phase *phase = rows;

    for (size_t k = 0; k < count_phases(e); k++) {
        const struct profile_phase *at =
            k < e->types.profile->nphases ? &e->types.profile->phases[k] : NULL;

        phase[k].name = at ? profile_phase_word(phase[k].word, at) : "any";
        phase[k].time = 0;
        for (size_t i = 0; i < e->types.n; i++)
            if (e->types.type[i].phase == at)
                phase[k].time += row->type[i].time;
    }
}

static bool asks_links(const struct eval *e)
{
    return e->options->links;
}

static size_t count_links(const struct eval *e)
{
    return mapcore_topo_nlinks(e->options->inputs.topo);
}

/* The time is that of one direction, where a cable has two. */
static void fill_links(void *rows,
                       const struct eval *e,
                       const struct eval_row *row)
{
    const struct mapcore_topo *topo = e->options->inputs.topo;
    struct link *link = rows;

    for (uint32_t l = 0; l < mapcore_topo_nlinks(topo); l++) {
        const double capacity = mapcore_topo_link_capacity(topo, l);

        link[l] = (struct link){
            .number = l,
            .capacity = mapcore_topo_has_capacities(topo) ? capacity : NAN,
            .bytes = row->is.load[l],
            .time = row->is.load[l] / mapcore_topo_link_directions(topo) /
                    capacity};
    }
}

static bool asks_ranks(const struct eval *e)
{
    return e->options->ranks;
}

static size_t count_ranks(const struct eval *e)
{
    return mapcore_graph_ntasks(e->options->inputs.graph);
}

static void fill_ranks(void *rows,
                       const struct eval *e,
                       const struct eval_row *row)
{
    const struct inputs *inputs = &e->options->inputs;
    struct rank_bytes *rank = rows;

    for (uint32_t t = 0; t < row->is.mapping->ntasks; t++) {
        const uint32_t host = row->is.mapping->host[t];
        struct rank_bytes sum = {
            .rank = t, .host = host, .slot = row->is.mapping->slot[t]};
        const uint32_t *peers;
        const uint64_t *bytes;
        const size_t n =
            mapcore_graph_neighbours(inputs->graph, t, &peers, &bytes);

        for (size_t i = 0; i < n; i++) {
            const uint32_t other = row->is.mapping->host[peers[i]];

            sum.bytes += bytes[i];
            sum.off_node += host == other ? 0 : bytes[i];
            if (host != other)
                sum.hop_bytes +=
                    (double)bytes[i] *
                    mapcore_alloc_distance(inputs->alloc, host, other);
        }
        sum.hops_per_byte =
            sum.bytes > 0 ? sum.hop_bytes / (double)sum.bytes : 0;
        rank[t] = sum;
    }
}

static const struct detail details[] = {
    {"types", type_columns, sizeof(struct eval_type), asks_types, count_types,
     fill_types},
    {"phases", phase_columns, sizeof(struct phase), asks_types, count_phases,
     fill_phases},
    {"links", link_columns, sizeof(struct link), asks_links, count_links,
     fill_links},
    {"ranks", rank_columns, sizeof(struct rank_bytes), asks_ranks, count_ranks,
     fill_ranks},
};
enum { NDETAILS = sizeof(details) / sizeof(*details) };

/* Rows of a detail of one mapping. */
static int put_detail(struct json_writer *writer,
                      const struct detail *detail,
                      const struct eval *e,
                      const struct eval_row *row,
                      struct mapcore_error *err)
{
    const size_t n = detail->count(e);
    void *rows = array_alloc(n, detail->size, err);

    if (!rows)
        return MAPCORE_ENOMEM;
    detail->fill(rows, e, row);
    table_put_rows(writer,
                   &(struct table){.columns = detail->columns,
                                   .rows = rows,
                                   .size = detail->size,
                                   .n = n,
                                   .arg = e,
                                   .time = e->unit},
                   detail->name);
    free(rows);
    return 0;
}

static int put_mapping(struct json_writer *writer,
                       const struct eval *e,
                       const struct table *mappings,
                       size_t i,
                       struct mapcore_error *err)
{
    int error = 0;

    json_begin_object(writer, NULL);
    table_put_row(writer, mappings, i);
    for (size_t k = 0; error == 0 && k < NDETAILS; k++)
        if (details[k].is_asked(e) && details[k].count(e) > 0)
            error = put_detail(writer, &details[k], e, &e->row[i], err);
    json_end_object(writer);
    return error;
}

int eval_print(const struct eval *e,
               const char *sorted_by,
               struct mapcore_error *err)
{
    const struct eval_options *options = e->options;
    const struct table mappings = {.columns = mapping_columns,
                                   .rows = e->row,
                                   .size = sizeof(*e->row),
                                   .n = e->made,
                                   .arg = e,
                                   .time = e->unit};
    struct answer answer;
    struct json_writer *writer = answer_begin_view(&answer, stdout,
                                                   options->json  ? NULL
                                                   : options->csv ? "eval-csv"
                                                                  : "eval",
                                                   NULL, err);
    int error = 0;

    if (!writer)
        return MAPCORE_ENOMEM;
    json_begin_object(writer, NULL);
    json_put_string(writer, "sorted_by", sorted_by);
    json_put_bool(writer, "interrupted", e->signal != 0);
    json_put_string(writer, "time_unit", quantity_time_name(e->unit));
    json_put_string(writer, "port_unit", quantity_time_name(e->port_unit));
    if (options->play)
        json_put_string(writer, "order", e->is_ordered ? "recorded" : "none");
    json_begin_array(writer, "mappings");
    for (size_t i = 0; error == 0 && i < mappings.n; i++)
        error = put_mapping(writer, e, &mappings, i, err);
    json_end_array(writer);
    json_put_string(writer, "use", eval_times_best(e));
    if (!options->json) { /* for its notes */
        json_put_string(writer, "block", e->block.is.title);
        json_put_bool(writer, "by_type", options->by_type);
        json_put_bool(writer, "is_profile", e->types.is_profile);
        json_put_bool(writer, "asks_order", options->order == EVAL_RECORDED);
    }
    json_end_object(writer);
    return answer_end(&answer, error, err);
}
