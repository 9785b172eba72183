/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* phase_loads.h - what each port carries in each phase of a workload, kept
 * exactly while tasks move */
#ifndef MAPCORE_MAP_PHASE_LOADS_H
#define MAPCORE_MAP_PHASE_LOADS_H

#include "base/rng.h"
#include "map/refine/phase_tables.h"

#include <stdbool.h>

struct phase_loads;

/* host[ntasks] is borrowed, and changed by phase_loads_try. Tables are shared
 * by threads, loads are not. Errors: ENOMEM. */
int phase_loads_create(struct phase_loads **out,
                       const struct phase_tables *tables,
                       uint32_t *host,
                       struct mapcore_error *err);
void phase_loads_destroy(struct phase_loads *loads);

/* Scaled seconds, as mapcore_workload_time says, without latency and what
 * messages take of tasks. */
double phase_loads_time(const struct phase_loads *loads);

/* Exchanges the places of two tasks on different hosts, and keeps that if the
 * time is then below `most`; else all is as before. Returns whether it was
 * kept. */
bool phase_loads_try(struct phase_loads *loads,
                     uint32_t a,
                     uint32_t b,
                     double most);

/* The same for n tasks on two hosts, each of which goes to the other one. */
bool phase_loads_try_tasks(struct phase_loads *loads,
                           const uint32_t *task,
                           uint32_t n,
                           const uint32_t between[2],
                           double most);

/* A task of a flow through the slowest port of a phase: the phase by chance,
 * the longer it takes the likelier, and of its flows by chance. MAPCORE_NONE
 * where no time is taken. O(flows of the phase). */
uint32_t phase_loads_busy_task(const struct phase_loads *loads,
                               struct rng *rng);

#endif
