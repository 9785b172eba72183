/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_descent.h - tasks exchanged so that a workload takes less time, phase
 * by phase: its flows and the ports between hosts, loads, and annealing */
#ifndef MAPCORE_MAP_PHASE_DESCENT_H
#define MAPCORE_MAP_PHASE_DESCENT_H

#include "base/array.h"
#include "base/rng.h"
#include "map/problem.h"
#include "metric/workload.h"

#include <stdbool.h>

/* Hosts that are near another one, with repetitions where there are fewer. */
#define PHASE_NEAR 8

struct phase_flow {
    uint32_t from, to; /* tasks */
    uint32_t phase;
    double bytes;
    double nic; /* what a network interface carries of it: also its messages,
                   as bytes, or, where it has no rate, as seconds */
};

/* What a task has to do with a flow: the same phase, direction and other end
 * have the same key. */
struct phase_end {
    uint64_t key;
    uint32_t flow, other;
};

/* Ports: directions of links, then of network interfaces, then memories; those
 * without a rate are on no route. */
struct phase_tables {
    uint32_t ntasks, nhosts, nports, nphases;
    uint32_t nlinks;         /* the first ports */
    double traffic;          /* see struct mapcore_workload */
    struct phase_flow *flow; /* by phase: those of p from phase[p] on */
    size_t *phase;           /* [nphases + 1] */
    double *scale;           /* [nphases] seconds for each of its ports' */
    size_t *row;             /* [ntasks + 1]; flows of task t are */
    struct phase_end *end;   /* end[row[t]] .., by their keys */
    size_t most_ends;        /* of a task */
    size_t *first;           /* [nhosts * nhosts + 1]; ports from a to b are */
    uint32_t *port;          /* port[first[a * nhosts + b]] .., */
    size_t *half;            /* [nhosts * nhosts], and those from
                                port[half[a * nhosts + b]] on carry half */
    double *inverse;         /* [nports] 1 / capacity */
    uint32_t *near;          /* [nhosts * PHASE_NEAR] the nearest other hosts */
    bool has_nics;           /* the first two ports between other hosts */
    struct arena arena;      /* of all but port */
};

/* What is the same for all mappings: flows by task, routes between hosts.
 * Borrows problem and work. *out is NULL without an error where tables would be
 * too large, or there is nothing to gain that one busiest link does not tell.
 * Of what messages take, what they take of network interfaces is in them, and
 * latency is not. Errors: ENOMEM. */
int phase_tables_create(struct phase_tables **out,
                        const struct map_problem *problem,
                        const struct mapcore_workload *work,
                        struct mapcore_error *err);
void phase_tables_destroy(struct phase_tables *tables);

/* Ports that carry the same share of a flow. */
struct phase_part {
    const uint32_t *port, *end;
};
struct phase_route {
    struct phase_part nics, whole, half;
};

/* What each port carries in each phase, kept exactly while tasks move, and the
 * energy of that: for each phase the sum over its ports of time^p to the power
 * of 1/p, scaled, a little above what its slowest port takes; p is 2^doublings;
 * and what its traffic counts. Tables are shared by threads, loads are not. */
struct phase_loads {
    const struct phase_tables *tables;
    uint32_t *host; /* [ntasks], the caller's */
    struct phase_load {
        double bytes, before; /* the change at hand */
        uint64_t change;      /* by which it was touched last */
    } * load;                 /* [nphases * nports] */
    double *power;            /* [nphases] of time / reference */
    double *reference; /* [nphases] the slowest port when it was refreshed */
    double *busy;      /* [nphases] times of all links */
    double *part;      /* [nphases] of energy */
    double energy, before; /* with the change at hand, and without it */
    /* The change at hand. */
    uint32_t doublings;
    uint64_t change;
    struct phase_touched {
        struct phase_load *load;
        uint32_t phase, port;
    } * touched; /* [ntouched] */
    size_t ntouched;
    struct phase_differing {
        const struct phase_flow *flow;
        struct phase_route before;
    } * differing;    /* [2 * most_ends] of an exchange */
    bool *is_changed; /* [nphases] */
    struct phase_changed {
        uint32_t phase;
        double power, busy, part; /* before */
    } * changed;                  /* [nchanged] */
    struct phase_moved {
        uint32_t task, from;
    } * moved; /* [nmoved] */
    uint32_t nchanged, nmoved;
    uint64_t ncarried; /* flows */
};

/* All but host and tables is the arena's. Errors: ENOMEM. */
int phase_loads_begin(struct phase_loads *out,
                      const struct phase_tables *tables,
                      uint32_t *host,
                      struct arena *arena);
/* Moves and exchanges, each task twice at most, are a change, whose energy is
 * there once it is settled, and which is then ended: kept, or as if it had not
 * been. */
void phase_loads_move(struct phase_loads *loads, uint32_t task, uint32_t host);
/* Two tasks change hosts. What both of them send alike to a third one, or get
 * from it, stays as it is: so an exchange of all with all costs nothing. */
void phase_loads_exchange(struct phase_loads *loads, uint32_t a, uint32_t b);
void phase_loads_settle(struct phase_loads *loads);
void phase_loads_end(struct phase_loads *loads, bool kept);
/* Without a change at hand: sums of powers anew, which lose digits. O(phases x
 * ports). */
void phase_loads_refresh(struct phase_loads *loads);
/* As mapcore_workload_cost says, without latency and what
 * messages take of tasks; INFINITY: not below most. O(phases x ports). */
double phase_loads_time(const struct phase_loads *loads, double most);

struct phase_descent {
    const struct map_problem *problem;
    const struct phase_tables *tables;
    bool moves_hosts; /* half of the changes are of all tasks of two hosts,
                         which leaves stages that depend on who shares a host as
                         they are */
    uint64_t work;    /* flows that it carries, and some more for each change */
    bool forgets;     /* where it begins does not count */
    double slowest;   /* a mapping counts only if no link takes longer by the
                         problem's graph (max_link_time); INFINITY: any */
    double hot, cold; /* as shares of the energy, what a change may add on
                         average: in the beginning, and in the end */
};

/* Changes host[ntasks] (which must fit): two tasks, a task and a free slot, or
 * all of two hosts change places, by the rule of Metropolis and others (1953)
 * with the energy of the loads, whose power doubles after half and after four
 * fifths of the work (ours). Gives back what took least time, and of these what
 * had least energy; but where it forgets that may be more than before, and the
 * beginning if nothing counts. *energy, in scaled seconds: of that, with the
 * last power. *timed_out: time was up, and neither counts. Errors: ENOMEM. */
int phase_descent_run(uint32_t *host,
                      double *energy,
                      bool *timed_out,
                      const struct phase_descent *how,
                      struct rng *rng,
                      struct mapcore_error *err);

#endif
