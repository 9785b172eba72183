/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* gathered.h - what one task or several together have counted */
#ifndef COMMPROF_GATHERED_H
#define COMMPROF_GATHERED_H

#include "commprof/count/regions.h"
#include "commprof/write/task_times.h"

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
    uint32_t *records; /* records[nrecords] words of group_pack's, owned */
    size_t nrecords;
    uint32_t
        records_lost; /* tasks that could not pack theirs: records is void */
    uint32_t hosts;   /* tasks that are the first on their host */
    uint32_t status;  /* enum gather_status; not OK: the rest is not whole */
};

void gathered_clear(struct gathered *all);
/* Lists of a task that has other numbers for its regions get all's, by phase of
 * region_names_add; n words of kept collectives. Lists are to be sorted then.
 */
void gathered_rename(const uint32_t phase[PHASES_MOST],
                     struct call_stats *stats,
                     size_t nstats,
                     struct messages *messages,
                     uint32_t *records,
                     size_t nrecords);
/* Adds more counters. Errors: ENOMEM. */
int gathered_add_stats(struct gathered *all,
                       const struct call_stats *stats,
                       size_t n);
/* Adds more words of kept collectives, or drops them all when there would be
 * more than COLLECTIVE_RECORDS_MOST. Errors: ENOMEM. */
int gathered_add_records(struct gathered *all,
                         const uint32_t *records,
                         size_t n);

/* Words of member lists and collectives that rank 0 is ready to hold: 64 MiB.
 * One task may send a quarter of that. */
enum { COLLECTIVE_RECORDS_MOST = 16 << 20 };

#endif
