/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare_print.h - the rows as a table */
#ifndef TOOLS_COMPARE_PRINT_H
#define TOOLS_COMPARE_PRINT_H

#include "tools/common/table.h"
#include "tools/compare/compare_rows.h"

/* The rows of a scale as a table, borrowed, of the first n. */
struct table compare_table(const struct compare_row *row,
                           size_t n,
                           const struct compare_scale *scale);
/* What people read below it. */
void compare_print_notes(const struct table *table);
/* interrupted: a signal ended it before all were made. Errors: EIO. */
int compare_print_json(const struct table *table,
                       const char *sorted_by,
                       bool interrupted,
                       struct mapcore_error *err);

#endif
