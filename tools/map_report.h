/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map_report.h - metrics as JSON, the same in every subcommand */
#ifndef TOOLS_MAP_REPORT_H
#define TOOLS_MAP_REPORT_H

#include "metric/metric.h"
#include "json/json.h"

/* The members avg_hop_bytes max_hop_bytes hops_per_byte off_node_bytes
 * max_link_bytes max_link_time, and max_link and max_time_link, names or null,
 * into an open object. */
void report_json(struct json_writer *writer,
                 const struct mapcore_metrics *metrics,
                 const struct mapcore_alloc *alloc);

/* The member max_hops_per_byte: the largest hop-bytes of a task over the mean
 * bytes of one, as table 1 of Galvez, Jain and Kale (ICS 2017) has them; 0
 * where nothing is sent. */
void report_max_json(struct json_writer *writer,
                     const struct mapcore_metrics *metrics);

/* Likewise avg_inside_hop_bytes inside_hops_per_byte inside_bytes. */
void report_inside_json(struct json_writer *writer,
                        const struct mapcore_inside *inside);

#endif
