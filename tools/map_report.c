/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map_report.c - metrics for people and for scripts */
#include "config.h"

#include "tools/map_report.h"

#include "base/printable.h"
#include "tools/table/quantity.h"

#include <string.h>

enum {
    LABEL_WIDTH = 20,
    COLUMN_WIDTH = 16,
    LINK_NAME = 600, /* two host names of 255 bytes */
};

static void put_link(struct json_writer *writer,
                     const char *key,
                     uint32_t link,
                     const struct mapcore_topo *topo)
{
    char name[LINK_NAME];

    if (link == MAPCORE_NONE) {
        json_put_null(writer, key);
        return;
    }
    mapcore_topo_link_name(topo, link, name, sizeof(name));
    json_put_string(writer, key, name);
}

void report_json(struct json_writer *writer,
                 const struct mapcore_metrics *metrics,
                 const struct mapcore_topo *topo)
{
    json_put_double(writer, "avg_hop_bytes", metrics->avg_hop_bytes);
    json_put_double(writer, "max_hop_bytes", metrics->max_hop_bytes);
    json_put_double(writer, "hops_per_byte", metrics->hops_per_byte);
    json_put_u64(writer, "off_node_bytes", metrics->off_node_bytes);
    json_put_double(writer, "max_link_bytes", metrics->max_link_bytes);
    put_link(writer, "max_link", metrics->max_link, topo);
    json_put_double(writer, "max_link_time", metrics->max_link_time);
    put_link(writer, "max_time_link", metrics->max_time_link, topo);
}

static void print_bytes(FILE *file, double bytes)
{
    char text[QUANTITY_TEXT];

    quantity_bytes(text, bytes);
    fprintf(file, " %*s", COLUMN_WIDTH, text);
}

static void print_links_a_byte(FILE *file, double hops)
{
    fprintf(file, " %*.6g", COLUMN_WIDTH, hops);
}

/* The first rows of the table; hops per byte alone is no amount of bytes. */
static const char *const rows[] = {
    "average hop-bytes", "maximum hop-bytes",   "hops per byte",
    "off-node bytes",    "busiest link, bytes",
};
enum { NROWS = sizeof(rows) / sizeof(*rows), HOPS_PER_BYTE = 2 };

static void print_row(FILE *file,
                      size_t row,
                      const struct mapcore_metrics *metrics,
                      size_t n)
{
    fprintf(file, "%-*s", LABEL_WIDTH, rows[row]);
    for (size_t i = 0; i < n; i++) {
        const double values[NROWS] = {
            metrics[i].avg_hop_bytes, metrics[i].max_hop_bytes,
            metrics[i].hops_per_byte, (double)metrics[i].off_node_bytes,
            metrics[i].max_link_bytes};

        if (row == HOPS_PER_BYTE)
            print_links_a_byte(file, values[row]);
        else
            print_bytes(file, values[row]);
    }
    fputc('\n', file);
}

/* In the unit of the slowest link's capacity. */
static void print_times(FILE *file,
                        const char *label,
                        const struct mapcore_metrics *metrics,
                        size_t n,
                        const struct mapcore_topo *topo)
{
    char text[QUANTITY_TEXT];

    fprintf(file, "%-*s", LABEL_WIDTH, label);
    for (size_t i = 0; i < n; i++) {
        const uint32_t link = metrics[i].max_time_link;

        quantity_put_time(text, metrics[i].max_link_time,
                          !mapcore_topo_has_capacities(topo) ? QUANTITY_BYTES
                          : link == MAPCORE_NONE ||
                                  mapcore_topo_link_capacity(topo, link) >=
                                      QUANTITY_RATE_LEAST
                              ? QUANTITY_SECONDS
                              : QUANTITY_BARE);
        fprintf(file, " %*s", COLUMN_WIDTH, text);
    }
    fputc('\n', file);
}

static void print_links(FILE *file,
                        const char *label,
                        const struct mapcore_metrics *metrics,
                        size_t n,
                        bool by_time,
                        const struct mapcore_topo *topo)
{
    char name[LINK_NAME];

    fprintf(file, "%-*s", LABEL_WIDTH, label);
    for (size_t i = 0; i < n; i++) {
        uint32_t link =
            by_time ? metrics[i].max_time_link : metrics[i].max_link;

        snprintf(name, sizeof(name), "-");
        if (link != MAPCORE_NONE)
            mapcore_topo_link_name(topo, link, name, sizeof(name));
        printable_clean(name);
        fprintf(file, " %*s", COLUMN_WIDTH, name);
    }
    fputc('\n', file);
}

void report_table(FILE *file,
                  const char *const *titles,
                  const struct mapcore_metrics *metrics,
                  size_t n,
                  const struct mapcore_topo *topo)
{
    fprintf(file, "%-*s", LABEL_WIDTH, "");
    for (size_t i = 0; i < n; i++)
        fprintf(file, " %*s", COLUMN_WIDTH, titles[i]);
    fputc('\n', file);
    for (size_t row = 0; row < NROWS; row++)
        print_row(file, row, metrics, n);
    print_links(file, "busiest link", metrics, n, false, topo);
    print_times(file, "slowest link, time", metrics, n, topo);
    print_links(file, "slowest link", metrics, n, true, topo);
}

/* Hops per byte are the mean hop-bytes over the mean bytes. */
double report_max_hops_per_byte(const struct mapcore_metrics *metrics)
{
    return metrics->avg_hop_bytes > 0
               ? metrics->max_hop_bytes / metrics->avg_hop_bytes *
                     metrics->hops_per_byte
               : 0;
}

void report_max_json(struct json_writer *writer,
                     const struct mapcore_metrics *metrics)
{
    json_put_double(writer, "max_hops_per_byte",
                    report_max_hops_per_byte(metrics));
}

void report_inside_json(struct json_writer *writer,
                        const struct mapcore_inside *inside)
{
    json_put_double(writer, "avg_inside_hop_bytes",
                    inside->avg_inside_hop_bytes);
    json_put_double(writer, "inside_hops_per_byte",
                    inside->inside_hops_per_byte);
    json_put_u64(writer, "inside_bytes", inside->inside_bytes);
}

void report_inside_table(FILE *file,
                         const struct mapcore_inside *inside,
                         size_t n)
{
    fprintf(file, "%-*s", LABEL_WIDTH, "inside hop-bytes");
    for (size_t i = 0; i < n; i++)
        print_bytes(file, inside[i].avg_inside_hop_bytes);
    fprintf(file, "\n%-*s", LABEL_WIDTH, "inside hops per byte");
    for (size_t i = 0; i < n; i++)
        print_links_a_byte(file, inside[i].inside_hops_per_byte);
    fprintf(file, "\n%-*s", LABEL_WIDTH, "bytes inside nodes");
    for (size_t i = 0; i < n; i++)
        print_bytes(file, (double)inside[i].inside_bytes);
    fputc('\n', file);
}
