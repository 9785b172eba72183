/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* run_end.h - whether a recording is of a run that worked, by how its tasks
 * ended (launch/kept.h) */
#ifndef TOOLS_RUN_END_H
#define TOOLS_RUN_END_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A failure within that time says that the run did not come to its work. */
#define RUN_END_SECONDS 60

/* Of two ends that which says more of what went wrong. */
uint32_t run_end_worse(uint32_t one, uint32_t other);
/* Why what was recorded is partial: the run failed within RUN_END_SECONDS, or
 * was ended before MPI_Finalize by MPI_Abort or by a signal that an error
 * raises. False: it counts. */
bool run_end_is_partial(char *out,
                        size_t size,
                        uint32_t ended,
                        bool is_finalized,
                        double seconds);

#endif
