/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_print.h - what topomap grid tells, apart from the order itself */
#ifndef TOOLS_GRID_PRINT_H
#define TOOLS_GRID_PRINT_H

#include "tools/grid/grid_advice.h"
#include "tools/grid/grid_subject.h"

/* On stdout: the shares that stay on nodes, and what differs. */
void grid_print_advice(const struct grid_advice *advice,
                       const struct grid_subject *subject,
                       const struct mapcore_blocks *layout,
                       uint32_t per);

/* All of it on stdout as JSON; csv: the orders as a table, or, without a
 * profile, the ranks. rank: [ntasks] the order. advice and subject are
 * NULL without a profile. output: where the order was written; NULL: nowhere.
 * Errors: EIO. */
int grid_print_json(const struct grid_advice *advice,
                    const struct grid_subject *subject,
                    const struct mapcore_blocks *layout,
                    const uint32_t *rank,
                    uint32_t ntasks,
                    uint32_t per,
                    const char *output,
                    bool csv,
                    struct mapcore_error *err);

#endif
