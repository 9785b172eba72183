/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* report_tables.h - the figures of a report as tables of HTML, which can be
 * read aloud and copied */
#ifndef TOOLS_DRAW_REPORT_TABLES_H
#define TOOLS_DRAW_REPORT_TABLES_H

#include "tools/draw/draw_subject.h"
#include "tools/draw/matrix/traffic.h"

#include <stdio.h>

/* A row a metric, a column a mapping, and what the last gains over the first.
 */
void report_table_metrics(FILE *file, const struct draw_subject *subject);
/* The ten busiest links of each mapping. */
void report_table_links(FILE *file, const struct draw_subject *subject);
/* The ten pairs of ranks that exchange most, and where each mapping has them.
 * Errors: ENOMEM. */
int report_table_pairs(FILE *file,
                       const struct draw_subject *subject,
                       const struct traffic *traffic,
                       struct mapcore_error *err);
/* Calls, bytes, seconds by type. */
void report_table_types(FILE *file, const struct profile *profile);

#endif
