/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* divided.h - one search many times, with other seeds, by several processes */
#ifndef TOOLS_DIVIDED_H
#define TOOLS_DIVIDED_H

#include "tools/mpi/peers.h"
#include "tools/plan/planner/planner.h"

/* Search number i, 0 .. n - 1, is what topomap plan makes with seed first + i;
 * process p of P makes p, p + P, p + 2 P, ... What is best of all (best_of.h)
 * is the same on any number of processes and threads, as long as each search
 * is: under a bound of work it always is, under one of time what ends
 * before. */
struct divided {
    const struct peers *peers;
    uint64_t first;
    uint32_t n;

    bool is_done; /* the exchange was made */
    /* At process 0, of those that count. */
    uint32_t made;  /* searches */
    uint32_t other; /* processes that had another problem, or none */
    bool has_best;
    uint32_t best; /* number of the search that found it */
};

/* Process 0 has a search always; the others call divided_pass alone where there
 * are no more than their number. */
static inline bool divided_has_any(const struct divided *divided)
{
    return (uint32_t)divided->peers->rank < divided->n;
}

/* For plan_request.search_by, with a struct divided as search_arg: the result
 * is the best of all at process 0, and that of its own elsewhere. Errors: those
 * of the search, after the others know of it. */
int divided_search(struct planner *planner, const struct timed_search *which);

/* Takes part with nothing, where a planner has not come to its search: the
 * others wait. */
void divided_pass(struct divided *divided);

#endif
