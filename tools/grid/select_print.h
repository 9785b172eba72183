/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_print.h - a selection as lists of nodes and orders of ranks */
#ifndef TOOLS_SELECT_PRINT_H
#define TOOLS_SELECT_PRINT_H

#include "tools/grid/select.h"

enum select_output {
    SELECT_REPORT,
    SELECT_NODELIST,
    SELECT_NODEFILE,
    SELECT_SRUN,
    SELECT_RESERVATION,
    SELECT_JSON,
    SELECT_CSV,
    /* Orders of ranks, in the order of enum mapcore_plan_form. */
    SELECT_HOSTFILE,
    SELECT_RANKFILE,
    SELECT_MPICH,
    SELECT_MAPPING,
};

/* What --to takes. */
extern const struct option_word select_outputs[];

/* Nodes stand in the order in which Slurm lists a job's: by name, numbers in
 * names by value; of a job, or of a torus without names, as they were. A report
 * and JSON have all choices, else it is the c-th. Errors: EIO, EINVAL (hosts
 * without names), ENOMEM. */
int select_print(const struct selection *selection,
                 enum select_output output,
                 size_t c,
                 FILE *file);

#endif
