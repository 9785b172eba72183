/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare_print.c - one table for people, and the same for programs */
#include "config.h"

#include "tools/compare/compare_print.h"

#include "base/printable.h"
#include "tools/common/csv.h"
#include "tools/common/quantity.h"
#include "tools/map_report.h"

#include <inttypes.h>
#include <string.h>

enum {
    LINK_NAME = 600, /* two host names of 255 bytes */
    LEAST_WIDTH = 10,
};

static void name_link(char *name,
                      const struct compare_row *row,
                      const struct compare_scale *scale)
{
    snprintf(name, LINK_NAME, "-");
    if (row->metrics.max_link != MAPCORE_NONE)
        mapcore_topo_link_name(scale->inputs->topo, row->metrics.max_link, name,
                               LINK_NAME);
    printable_clean(name);
}

static void print_row(const struct compare_row *row,
                      const struct compare_scale *scale,
                      int width)
{
    char task[QUANTITY_TEXT], link[QUANTITY_TEXT], time[QUANTITY_TEXT];
    char took[QUANTITY_TEXT] = "-", name[LINK_NAME];

    quantity_bytes(task, row->metrics.max_hop_bytes);
    quantity_bytes(link, row->metrics.max_link_bytes);
    quantity_put_time(time, row->time, scale->unit);
    if (!row->is_file)
        quantity_seconds(took, row->search_s);
    name_link(name, row, scale);
    tool_print("%-*s", width, row->title);
    printf(" %10.4g %12s %12s %10s %9s%s  %s\n", row->metrics.hops_per_byte,
           task, link, time, took, row->was_cut ? "*" : " ", name);
}

void compare_print_table(const struct compare_row *row,
                         size_t n,
                         const struct compare_scale *scale)
{
    bool was_cut = false;
    int width = LEAST_WIDTH;

    for (size_t i = 0; i < n; i++) {
        const int length = (int)strlen(row[i].title);

        width = length > width ? length : width;
    }
    printf("%-*s %10s %12s %12s %10s %9s   %s\n", width, "MAPPING",
           "LINKS/BYTE", "LARGEST TASK", "BUSIEST LINK", "TIME", "SEARCH",
           "LINK");
    for (size_t i = 0; i < n; i++) {
        if (!row[i].mapping)
            continue;
        print_row(&row[i], scale, width);
        was_cut = was_cut || row[i].was_cut;
    }
    if (was_cut)
        printf("* time or work ended the search\n");
    if (scale->unit == QUANTITY_BYTES)
        printf("times are bytes of the slowest link: the network states no "
               "capacities\n");
}

void compare_print_csv(const struct compare_row *row,
                       size_t n,
                       const struct compare_scale *scale)
{
    char name[LINK_NAME], key[QUANTITY_TEXT];

    printf("mapping,links_per_byte,max_hop_bytes,max_link_bytes,max_link,"
           "%s,search_s,work,cut\n",
           quantity_time_key(key, "time", scale->unit));
    for (size_t i = 0; i < n; i++) {
        if (!row[i].mapping)
            continue;
        csv_put_name(row[i].title);
        csv_put_exact(true, row[i].metrics.hops_per_byte);
        csv_put_exact(true, row[i].metrics.max_hop_bytes);
        csv_put_exact(true, row[i].metrics.max_link_bytes);
        putchar(',');
        name_link(name, &row[i], scale);
        csv_put_name(name);
        csv_put_exact(true, row[i].time);
        csv_put_number(!row[i].is_file, row[i].search_s);
        if (row[i].is_file)
            printf(",,\n");
        else
            printf(",%" PRIu64 ",%d\n", row[i].work, row[i].was_cut);
    }
}

static void put_row(struct json_writer *writer,
                    const struct compare_row *row,
                    const struct compare_scale *scale)
{
    json_begin_object(writer, NULL);
    json_put_string(writer, "mapping", row->title);
    json_put_string(writer, "from", row->is_file ? row->word : row->found);
    report_json(writer, &row->metrics, scale->inputs->topo);
    quantity_put_json(writer, "time", row->time, scale->unit);
    if (row->is_file) {
        json_put_null(writer, "search_s");
    } else {
        json_put_double(writer, "search_s", row->search_s);
        json_put_u64(writer, "work", row->work);
        json_put_bool(writer, "cut", row->was_cut);
    }
    json_end_object(writer);
}

int compare_print_json(const struct compare_row *row,
                       size_t n,
                       const struct compare_scale *scale,
                       const char *sorted_by,
                       bool interrupted,
                       struct mapcore_error *err)
{
    struct json_writer writer;

    json_writer_start(&writer, stdout);
    json_begin_object(&writer, NULL);
    json_put_string(&writer, "sorted_by", sorted_by);
    json_put_bool(&writer, "interrupted", interrupted);
    json_begin_array(&writer, "mappings");
    for (size_t i = 0; i < n; i++)
        if (row[i].mapping)
            put_row(&writer, &row[i], scale);
    json_end_array(&writer);
    json_end_object(&writer);
    return json_writer_end(&writer, err);
}
