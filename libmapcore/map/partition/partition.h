/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* partition.h - a task graph cut into parts with few bytes between them */
#ifndef MAPCORE_MAP_PARTITION_H
#define MAPCORE_MAP_PARTITION_H

#include "map/partition/partition_problem.h"

#include <stdbool.h>

/* Cuts the graph into nparts parts, part[ntasks]; part p gets exactly
 * floor(T (s_0 + ... + s_p) / S) - floor(T (s_0 + ... + s_p-1) / S) of the T
 * tasks, s being the sizes and S their sum: size[p] tasks when there are as
 * many tasks as places.
 *
 * Recursive bisection: the parts lo .. hi-1 are halved by number, the tasks cut
 * in two by METIS 5 (Karypis and Kumar, 1998) in the proportion of the halves,
 * and then, one at a time, the task whose move costs the fewest bytes goes to
 * the other side until the numbers are exact. So neighbouring parts have
 * neighbouring numbers, and the deadline is asked for between the cuts. (METIS
 * in one call of k-way, measured with 16 tasks a part, cut up to 1.7 times more
 * bytes and took four times as long.)
 *
 * With loads the parts are also about equal by these for their sizes: METIS is
 * given two weights a task, 1 and that.
 *
 * METIS counts bytes in 32 bits: where twice the sum of all bytes exceeds 2^30
 * every weight is divided by the same power of two and rounded up.
 *
 * Same inputs and seed, same parts. One cut at a time: other threads wait.
 * METIS replaces the handlers of SIGTERM and SIGABRT while it runs and uses
 * rand(); all three are as before on return, and SIGTERM is held back
 * meanwhile in the calling thread. *timed_out: time was up and part is not
 * complete. Errors: ERANGE (more than 2^28 edges or tasks), ENOMEM, EINVAL
 * (METIS refuses). */
int partition_graph(uint32_t *part,
                    bool *timed_out,
                    const struct partition_problem *problem,
                    struct mapcore_error *err);

/* The same sizes by METIS's multilevel k-way method (Karypis and Kumar, 1998),
 * made exact afterwards (rebalance.h). Slower, and on irregular graphs with few
 * tasks a part it cuts more bytes; regular grids it often cuts into the very
 * boxes that are best, where bisection does not. */
int partition_kway(uint32_t *part,
                   bool *timed_out,
                   const struct partition_problem *problem,
                   struct mapcore_error *err);

/* Cuts vertices of different weights in two halves of about equal weight (a
 * few per cent, or one vertex, apart), side[ntasks] 0 or 1; the weights, load,
 * may be 0, and a side may come out empty when there are few; nparts and size
 * mean nothing. The rest as partition_graph. */
int partition_halve(uint8_t *side,
                    bool *timed_out,
                    const struct partition_problem *problem,
                    struct mapcore_error *err);

#endif
