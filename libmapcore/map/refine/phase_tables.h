/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_tables.h - what phase_descent looks up: flows by task, routes between
 * hosts */
#ifndef MAPCORE_MAP_PHASE_TABLES_H
#define MAPCORE_MAP_PHASE_TABLES_H

#include "base/array.h"
#include "map/problem.h"
#include "metric/workload.h"

struct phase_flow {
    uint32_t from, to; /* tasks */
    uint32_t phase;
    double bytes;
    double nic; /* what a network interface carries of it: also its messages,
                   as so many bytes, or, where it has no rate, as seconds */
};

/* Ports: directions of links, then of network interfaces, then memories; those
 * without a rate are on no route. */
struct phase_tables {
    uint32_t ntasks, nhosts, nports, nphases;
    struct phase_flow *flow; /* by phase: those of p from phase[p] on */
    size_t *phase;           /* [nphases + 1] */
    double *scale;           /* [nphases] seconds for each of its ports' */
    size_t *row;             /* [ntasks + 1]; flows of task t are */
    uint32_t *of_task;       /* of_task[row[t]] .. */
    size_t *first;           /* [nhosts * nhosts + 1]; ports from a to b are */
    uint32_t *port;          /* port[first[a * nhosts + b]] .., */
    size_t *half;            /* [nhosts * nhosts], and those from
                                port[half[a * nhosts + b]] on carry half */
    double *inverse;         /* [nports] 1 / capacity */
    bool has_nics;           /* the first two ports between other hosts */
    struct arena arena;      /* of all but port */
};

/* What is the same for all mappings: flows by task, routes between hosts.
 * Borrows problem and work. *out is NULL without an error where tables would be
 * too large, or there is nothing to gain that one busiest link does not tell.
 * Of what messages take, what they take of network interfaces is in them, and
 * latency is not.
 * Errors: ENOMEM. */
int phase_tables_create(struct phase_tables **out,
                        const struct map_problem *problem,
                        const struct mapcore_workload *work,
                        struct mapcore_error *err);
void phase_tables_destroy(struct phase_tables *tables);

#endif
