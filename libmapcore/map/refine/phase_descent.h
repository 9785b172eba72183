/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_descent.h - tasks exchanged so that a workload takes less time, phase
 * by phase */
#ifndef MAPCORE_MAP_PHASE_DESCENT_H
#define MAPCORE_MAP_PHASE_DESCENT_H

#include "map/refine/phase_loads.h"

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
