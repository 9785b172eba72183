/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* cluster_plan.h - a plan of as large a job as the default partition can run,
 * made and thrown away */
#ifndef TOOLS_CLUSTER_PLAN_H
#define TOOLS_CLUSTER_PLAN_H

#include "base/error.h"

/* A rank a CPU, and at most so many, so that it is soon over. */
#define CLUSTER_PLAN_TASKS_MOST 65536

struct cluster_plan {
    char partition[256];
    uint32_t nnodes, ntasks;
    double budget_s; /* that a plan may take there */
    double search_s; /* of it, for the search */
    double other_s;  /* what else it took: start, reading, writing */
};

/* Has the topomap at self plan a grid of nnodes x CPUs. config: the site file,
 * NULL for the default. Errors: EIO, EPARSE (sinfo or the plan), ENOENT (no
 * nodes), ENOMEM. */
int cluster_plan_try(struct cluster_plan *out,
                     const char *self,
                     const char *config,
                     struct mapcore_error *err);

#endif
