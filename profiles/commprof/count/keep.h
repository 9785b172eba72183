/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* keep.h - memory for what is counted, that outlives the task where slurmstepd
 * has made some ready, and is the heap's elsewhere */
#ifndef COMMPROF_KEEP_H
#define COMMPROF_KEEP_H

#include "launch/kept.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Never NULL: without a region it is a head that no other process sees. */
extern struct kept_head *keep_head;

/* Takes the region that place ("FD OFFSET DEVICE INODE", COMMPROF_KEEP's value,
 * or NULL) means, if it is what it says and no other process of this task's
 * counts in it. */
void keep_begin(const char *place);
/* Zeroed memory for a block of that kind, aligned to 8, until keep_end; NULL
 * when there is none at all. What is not kept is counted in the head. */
void *keep_alloc(enum kept_kind kind, size_t size);
/* From now on it counts: slurmstepd has it, however this task ends. */
void keep_ready(void);
/* No more is counted, and nothing of it is used here any more; is_done: it is
 * handed over, and need not be kept. */
void keep_end(bool is_done);

/* A region for what this task counts where no slurmstepd has made one: a
 * process beside it has it open, too, and writes it when the task is gone. The
 * number of the region's file in that process. */
enum { OWN_REGION_FD = 3 };

/* Makes a region and starts `keeper SPOOL RANK PID SECONDS` (commprof_keep.c)
 * with it, in a session of its own, without any other descriptor of the
 * program's; its wait() and SIGCHLD do not see it. out[size]: the place of the
 * region, as keep_begin takes it. NULL, or out: without it the task counts in
 * its heap. seconds: so long storage may take. */
const char *own_region_make(char *out,
                            size_t size,
                            const char *keeper,
                            const char *spool,
                            uint32_t rank,
                            uint32_t seconds);

#endif
