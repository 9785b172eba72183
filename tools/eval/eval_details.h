/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* eval_details.h - what each link carries, and each rank sends, for people and
 * for those who draw */
#ifndef TOOLS_EVAL_DETAILS_H
#define TOOLS_EVAL_DETAILS_H

#include "tools/eval/eval_mappings.h"
#include "json/json.h"

/* All links in the order of their numbers, a column each of mapping[n]. */
void eval_print_links(const struct inputs *inputs,
                      const struct eval_mapping *mapping,
                      size_t n);
/* "links": [{ link, capacity, bytes, time }], into an open object; capacity is
 * null where the description states none. */
void eval_put_links(struct json_writer *writer,
                    const struct inputs *inputs,
                    const struct eval_mapping *mapping);

/* The same as comma separated values, mapping after mapping. */
void eval_csv_links(const struct inputs *inputs,
                    const struct eval_mapping *mapping,
                    size_t n);

/* All ranks, a table for each of mapping[n]. */
void eval_print_ranks(const struct inputs *inputs,
                      const struct eval_mapping *mapping,
                      size_t n);
/* "ranks": [{ rank, node, slot, bytes, off_node_bytes, hop_bytes }] */
void eval_put_ranks(struct json_writer *writer,
                    const struct inputs *inputs,
                    const struct eval_mapping *mapping);

void eval_csv_ranks(const struct inputs *inputs,
                    const struct eval_mapping *mapping,
                    size_t n);

#endif
