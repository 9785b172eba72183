/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_descent.h - tasks exchanged so that a workload takes less time, phase
 * by phase: its flows and the ports between hosts, loads, and the descent */
#ifndef MAPCORE_MAP_PHASE_DESCENT_H
#define MAPCORE_MAP_PHASE_DESCENT_H

#include "base/array.h"
#include "base/rng.h"
#include "map/problem.h"
#include "metric/workload.h"

#include <stdbool.h>

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

/* What each port carries in each phase, kept exactly while tasks move. Tables
 * are shared by threads, loads are not. */
struct phase_loads {
    const struct phase_tables *tables;
    uint32_t *host;   /* [ntasks], the caller's, changed by phase_loads_try */
    double *load;     /* [nphases * nports] bytes */
    double *time;     /* [nphases], scaled */
    uint32_t *port;   /* [nphases] the slowest, of equals any */
    double sum;       /* of time[]: scaled seconds, as mapcore_workload_time
                         says, without latency and what messages take of tasks */
    double *least;    /* [nphases] of a trial: what the phase takes at least */
    bool *is_touched; /* [nphases] */
    uint32_t *touched, ntouched;
};

/* All but host and tables is the arena's. Errors: ENOMEM. */
int phase_loads_begin(struct phase_loads *out,
                      const struct phase_tables *tables,
                      uint32_t *host,
                      struct arena *arena);
/* n tasks on two hosts go to the other one each, which is kept if the time is
 * then below `most`; else all is as before. Returns whether it was kept. */
bool phase_loads_try(struct phase_loads *loads,
                     const uint32_t *task,
                     uint32_t n,
                     double most);
/* A task of a flow through the slowest port of a phase: the phase by chance,
 * the longer it takes the likelier, and of its flows by chance. MAPCORE_NONE
 * where no time is taken. O(flows of the phase). */
uint32_t phase_loads_busy_task(const struct phase_loads *loads,
                               struct rng *rng);

struct phase_descent {
    const struct map_problem *problem;
    const struct phase_tables *tables;
    bool moves_hosts; /* half of the exchanges are of all tasks of two hosts,
                         which leaves stages that depend on who shares a host as
                         they are */
    uint32_t sweeps;
};

/* Changes host[ntasks] (which must fit): so many times as there are tasks x
 * `sweeps` a task of a flow through the slowest port of some phase changes its
 * place with a random one, if that takes no longer, or little longer in the
 * beginning; what took least is given back, which is never more than before.
 * With sweeps 0 all exchanges are tried, again and again until none gains.
 * *timed_out: time was up, and host does not count. Errors: ENOMEM. */
int phase_descent_run(uint32_t *host,
                      bool *timed_out,
                      const struct phase_descent *how,
                      struct rng *rng,
                      struct mapcore_error *err);

#endif
