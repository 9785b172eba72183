/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gathered.h - what one task or several together have counted */
#ifndef COMMPROF_GATHERED_H
#define COMMPROF_GATHERED_H

#include "commprof/count/regions.h"

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

enum gather_status {
    GATHER_OK,
    GATHER_MEMORY, /* some task ran out of memory */
    GATHER_MPI,    /* some message failed */
};

struct gathered {
    struct call_stats *stats; /* stats[nstats], owned, sorted */
    size_t nstats;
    struct messages messages;
    struct region_names regions; /* what their phases are called */
    struct task_times times;
    /* Words, owned: of each collective n, member[n] in MPI_COMM_WORLD (n 0: all
     * of it, in its order), and the struct collective. */
    uint32_t *records;
    size_t nrecords, records_capacity;
    uint32_t records_lost; /* some had no room: records is void */
    uint64_t nccl_calls[NTYPES];
    uint32_t has_nccl; /* some task has NCCL's counts, which are not here */
    uint32_t hosts;    /* tasks that are the first on their host */
    uint32_t status;   /* enum gather_status; not OK: the rest is not whole */
};

void gathered_clear(struct gathered *all);
/* Adds other tasks, whose regions may have other numbers, and ends more; status
 * says what went wrong. */
void gathered_add(struct gathered *all, struct gathered *more);
/* Adds more counters. Errors: ENOMEM. */
int gathered_add_stats(struct gathered *all,
                       const struct call_stats *stats,
                       size_t n);
/* Adds what was kept of a collective. Errors: ENOMEM. */
int gathered_add_collective(struct gathered *all,
                            const uint32_t *member,
                            uint32_t n,
                            const struct collective *collective);
/* What stands at records, and how many words it takes. */
size_t gathered_read_record(struct collective *out,
                            const uint32_t **member,
                            uint32_t *n,
                            const uint32_t *records);

/* Words of member lists and collectives that are held: 64 MiB. */
enum { COLLECTIVE_RECORDS_MOST = 16 << 20 };

#endif
