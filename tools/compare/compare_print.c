/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare_print.c - the columns of a comparison */
#include "config.h"

#include "tools/compare/compare_print.h"

#include <stdio.h>

static void get_from(struct table_value *out, const struct table_place *place)
{
    const struct compare_row *row = place->row;

    table_set_text(out, row->is_file ? row->word : row->found);
}

static void get_link(struct table_value *out, const struct table_place *place)
{
    const struct compare_scale *scale = place->arg;
    const uint32_t link = *(const uint32_t *)place->member;

    if (link == MAPCORE_NONE)
        return;
    mapcore_topo_link_name(scale->inputs->topo, link, out->memory,
                           sizeof(out->memory));
    table_set_text(out, out->memory);
}

/* A file has no search. */
static void get_search(struct table_value *out, const struct table_place *place)
{
    const struct compare_row *row = place->row;

    if (!row->is_file)
        table_set_number(out, row->search_s);
}

static void get_work(struct table_value *out, const struct table_place *place)
{
    const struct compare_row *row = place->row;

    if (!row->is_file)
        table_set_count(out, row->work);
}

static void get_cut(struct table_value *out, const struct table_place *place)
{
    const struct compare_row *row = place->row;

    if (!row->is_file)
        table_set_truth(out, row->was_cut);
}

#define METRIC(member) TABLE_MEMBER(struct compare_row, metrics.member)

static const struct table_column columns[] = {
    {"mapping", "MAPPING", .left = true,
     TABLE_MEMBER(struct compare_row, title)},
    {"from", .get = get_from},
    {"avg_hop_bytes", METRIC(avg_hop_bytes)},
    {"max_hop_bytes", "LARGEST TASK", TABLE_BYTES, METRIC(max_hop_bytes)},
    {"hops_per_byte", "HOPS/BYTE", METRIC(hops_per_byte)},
    {"off_node_bytes", METRIC(off_node_bytes)},
    {"max_link_bytes", "BUSIEST LINK", TABLE_BYTES, METRIC(max_link_bytes)},
    {"max_link", "LINK", .get = get_link, METRIC(max_link)},
    {"max_link_time", METRIC(max_link_time)},
    {"max_time_link", .get = get_link, METRIC(max_time_link)},
    {"time", "TIME", TABLE_TIME, TABLE_MEMBER(struct compare_row, time)},
    {"search_s", "SEARCH", TABLE_SECONDS, .get = get_search},
    {"work", .get = get_work},
    {"cut", "CUT", .get = get_cut},
    {0}};

struct table compare_table(const struct compare_row *row,
                           size_t n,
                           const struct compare_scale *scale)
{
    return (struct table){.columns = columns,
                          .rows = row,
                          .size = sizeof(*row),
                          .n = n,
                          .arg = scale,
                          .time = scale->unit};
}

void compare_print_notes(const struct table *table)
{
    const struct compare_row *row = table->rows;
    bool was_cut = false;

    for (size_t i = 0; i < table->n; i++)
        was_cut = was_cut || row[i].was_cut;
    if (was_cut)
        printf("cut: time or work ended the search\n");
    if (table->time == QUANTITY_BYTES)
        printf("times are bytes of the slowest link: the network states no "
               "capacities\n");
}

int compare_print_json(const struct table *table,
                       const char *sorted_by,
                       bool interrupted,
                       struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "sorted_by", sorted_by);
    json_put_bool(&writer, "interrupted", interrupted);
    table_put_rows(&writer, table, "mappings");
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}
