/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select_print.h - a selection as lists of nodes and orders of ranks */
#ifndef TOOLS_SELECT_PRINT_H
#define TOOLS_SELECT_PRINT_H

#include "alloc/mapping.h"
#include "tools/torus/select.h"

enum select_output {
    SELECT_REPORT,
    SELECT_NODELIST,
    SELECT_HOSTS,
    SELECT_SRUN,
    SELECT_JSON,
    SELECT_RANKS,
};

struct select_form {
    enum select_output output;
    enum mapcore_mapping_form ranks; /* with SELECT_RANKS */
};

/* A --format; prints the usage error. */
int select_take_form(struct select_form *out, const char *text);
bool select_form_has_ranks(const struct select_form *form);

/* Nodes stand in the order in which Slurm lists a job's: by name, numbers in
 * names by value; of a job, or of a torus without names, as they were. A report
 * and JSON have all choices, else it is the one of that number. Errors: EIO,
 * EINVAL (hosts without names), ENOMEM. */
int select_print(const struct selection *selection,
                 const struct select_form *form,
                 size_t choice,
                 const struct select_query *query,
                 const struct routers *routers,
                 FILE *file,
                 struct mapcore_error *err);

#endif
