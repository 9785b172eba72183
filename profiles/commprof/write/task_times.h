/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* task_times.h - which tasks were longest and shortest in MPI, by type of call;
 * knows nothing of MPI */
#ifndef COMMPROF_TASK_TIMES_H
#define COMMPROF_TASK_TIMES_H

#include "commprof/count/messages.h"

/* Nanoseconds of the two, and their ranks: of equal ones the lower. */
struct task_span {
    uint64_t most_ns, least_ns;
    uint32_t most_task, least_task;
};

/* A task without a call of a type has spent 0 there. Starts as all zero. */
enum { TASK_TIMES_ALL = NTYPES }; /* of every type together */
struct task_times {
    uint32_t ntasks; /* that are in it; 0: the spans say nothing */
    uint32_t unused; /* 0, so that no byte is undefined */
    struct task_span span[NTYPES + 1];
};

/* Those of one task, by its counters stats[n], of however many sizes. */
void task_times_begin(struct task_times *out,
                      uint32_t rank,
                      const struct call_stats *stats,
                      size_t n);
/* More of the same task. */
void task_times_spend(struct task_times *one, const struct call_stats *stats);
/* Adds other tasks. */
void task_times_add(struct task_times *sum, const struct task_times *more);

#endif
