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

/* An order, and why; all borrowed. */
struct grid_answer {
    const struct grid_advice *advice;   /* NULL without a profile, */
    const struct grid_subject *subject; /* and this */
    const struct mapcore_blocks *layout;
    const uint32_t *rank; /* [ntasks] */
    uint32_t ntasks, per;
    const char *output; /* where the order was written; NULL: nowhere */
};

/* All of it on stdout as JSON; csv: the orders as a table, or, without a
 * profile, the ranks. Errors: EIO, ENOMEM. */
int grid_print_json(const struct grid_answer *answer,
                    bool csv,
                    struct mapcore_error *err);

#endif
