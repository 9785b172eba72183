/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_print.h - a selection as lists of nodes and orders of ranks */
#ifndef TOOLS_SELECT_PRINT_H
#define TOOLS_SELECT_PRINT_H

#include "alloc/mapping.h"
#include "tools/common/command_line.h"
#include "tools/grid/select.h"

enum select_output {
    SELECT_REPORT,
    SELECT_NODELIST,
    SELECT_NODEFILE,
    SELECT_SRUN,
    SELECT_RESERVATION,
    SELECT_JSON,
    SELECT_CSV,
    /* Orders of ranks, in the order of enum mapcore_mapping_form. */
    SELECT_MAPPING,
    SELECT_HOSTFILE,
    SELECT_RANKFILE,
    SELECT_MPICH,
};

/* What --to takes. */
extern const struct option_word select_outputs[];
bool select_output_has_ranks(enum select_output output);

/* What was found, for what, and where it is printed; all borrowed. */
struct select_result {
    const struct selection *selection;
    const struct select_query *query;
    const struct routers *routers;
    FILE *file;
};

/* Nodes stand in the order in which Slurm lists a job's: by name, numbers in
 * names by value; of a job, or of a torus without names, as they were. A report
 * and JSON have all choices, else it is the one of that number. Errors: EIO,
 * EINVAL (hosts without names), ENOMEM. */
int select_print(const struct select_result *result,
                 enum select_output output,
                 size_t choice,
                 struct mapcore_error *err);

#endif
