/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "config.h"

#include "tools/table/spans_table.h"

#include <inttypes.h>
#include <stdio.h>

static void print_span(const char *name,
                       const struct profile_span *span,
                       double mean)
{
    printf("%-22s%14.6g%14.6g%9" PRIu32 "%14.6g%9" PRIu32 "\n", name, mean,
           span->max, span->max_task, span->min, span->min_task);
}

void spans_table_print(const struct profile *profile)
{
    const double ntasks = profile_tasks_seen(profile);
    double total = 0;

    if (!profile->task_seconds.is_known || profile->ntypes == 0)
        return;
    printf("\n%-22s%14s%14s%9s%14s%9s\n", "SECONDS OF A TASK", "MEAN", "MOST",
           "TASK", "LEAST", "TASK");
    for (size_t i = 0; i < profile->ntypes; i++) {
        const struct profile_type *type = &profile->types[i];

        total += type->seconds;
        if (type->task_seconds.is_known)
            print_span(type->name, &type->task_seconds, type->seconds / ntasks);
    }
    print_span("all of MPI", &profile->task_seconds, total / ntasks);
}
