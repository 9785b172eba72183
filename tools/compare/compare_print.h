/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* compare_print.h - the rows as a table for people, as JSON, as comma separated
 * values */
#ifndef TOOLS_COMPARE_PRINT_H
#define TOOLS_COMPARE_PRINT_H

#include "tools/compare/compare_rows.h"

/* row[n] in their order; those without a mapping are left out. */
void compare_print_table(const struct compare_row *row,
                         size_t n,
                         const struct compare_scale *scale);
void compare_print_csv(const struct compare_row *row,
                       size_t n,
                       const struct compare_scale *scale);
/* interrupted: a signal ended it before all were made. Errors: EIO. */
int compare_print_json(const struct compare_row *row,
                       size_t n,
                       const struct compare_scale *scale,
                       const char *sorted_by,
                       bool interrupted,
                       struct mapcore_error *err);

#endif
