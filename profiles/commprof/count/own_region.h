/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* own_region.h - a region for what this task counts where no slurmstepd has
 * made one: a process beside it has it open, too, and writes it when the task
 * is gone
 */
#ifndef COMMPROF_OWN_REGION_H
#define COMMPROF_OWN_REGION_H

#include <stddef.h>
#include <stdint.h>

/* The number of the region's file in that process. */
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
