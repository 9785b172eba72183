/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map_report.c - metrics as members of JSON */
#include "config.h"

#include "tools/map_report.h"

enum { LINK_NAME = 600 }; /* two host names of 255 bytes */

static void put_link(struct json_writer *writer,
                     const char *key,
                     uint32_t link,
                     const struct mapcore_alloc *alloc)
{
    char name[LINK_NAME];

    if (link == MAPCORE_NONE) {
        json_put_null(writer, key);
        return;
    }
    mapcore_topo_link_name(mapcore_alloc_topo(mapcore_alloc_by_rail(alloc)),
                           link, name, sizeof(name));
    json_put_string(writer, key, name);
}

void report_json(struct json_writer *writer,
                 const struct mapcore_metrics *metrics,
                 const struct mapcore_alloc *alloc)
{
    json_put_double(writer, "avg_hop_bytes", metrics->avg_hop_bytes);
    json_put_double(writer, "max_hop_bytes", metrics->max_hop_bytes);
    json_put_double(writer, "hops_per_byte", metrics->hops_per_byte);
    json_put_u64(writer, "off_node_bytes", metrics->off_node_bytes);
    json_put_double(writer, "max_link_bytes", metrics->max_link_bytes);
    put_link(writer, "max_link", metrics->max_link, alloc);
    json_put_double(writer, "max_link_time", metrics->max_link_time);
    put_link(writer, "max_time_link", metrics->max_time_link, alloc);
}

/* Hops per byte are the mean hop-bytes over the mean bytes. */
void report_max_json(struct json_writer *writer,
                     const struct mapcore_metrics *metrics)
{
    json_put_double(writer, "max_hops_per_byte",
                    metrics->avg_hop_bytes > 0
                        ? metrics->max_hop_bytes / metrics->avg_hop_bytes *
                              metrics->hops_per_byte
                        : 0);
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
