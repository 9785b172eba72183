/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottleneck.h - traffic taken off the links that need longest, or hops off the
 * tasks that have most */
#ifndef MAPCORE_MAP_BOTTLENECK_H
#define MAPCORE_MAP_BOTTLENECK_H

#include "base/rng.h"
#include "map/problem.h"

/* What is made less: the time of the slowest link, bytes / capacity on the
 * routes of the topology, or the hop-bytes of the task that has most. */
enum bottleneck_goal { BOTTLENECK_LINKS, BOTTLENECK_TASKS };

struct bottleneck_how {
    enum bottleneck_goal goal;
    /* Hop-bytes grow by that share of what they are at most; INFINITY: however
     * much. */
    double slack;
    uint32_t rounds;
    /* What a change may cost at first, on average, in shares of the sum over
     * all of load^16; it falls evenly, to nothing in the middle of the rounds.
     * 0: none may, and the largest load never grows. */
    double hot;
    /* Unless NULL: that sum at the end, where the largest counts as 1. */
    double *weight;
};

/* Changes host[ntasks] (which must fit) so that the most loaded link or task
 * has less. In each round those within a twentieth of it are found
 * with the edges that cross or end at them; then random tasks of those edges
 * are moved next to another neighbour, or near where they are, or exchanged
 * with the occupant of a place there, wherever the sum over all of load^16
 * falls. Loads are kept exactly, and hop-bytes count, too.
 * *timed_out: time was up, and host is as it was when that was seen. O(edges x
 * diameter) a round, for tasks O(edges). Nothing is done where
 * hop-bytes might not fit 61 bits. Errors: ENOMEM. */
int bottleneck_run(uint32_t *host,
                   bool *timed_out,
                   const struct map_problem *problem,
                   const struct bottleneck_how *how,
                   struct rng *rng,
                   struct mapcore_error *err);

/* Whether a round without heat would change nothing of host[ntasks]. O(tasks x
 * places x degree): for few tasks, which hundreds of rounds in vain would cost
 * more. Errors: ENOMEM. */
int bottleneck_look(bool *stuck,
                    const uint32_t *host,
                    const struct map_problem *problem,
                    const struct bottleneck_how *how,
                    struct mapcore_error *err);

#endif
