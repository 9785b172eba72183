/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bottleneck_descent.h - where tasks are and what that puts on links or tasks,
 * kept exactly while they change places */
#ifndef MAPCORE_MAP_BOTTLENECK_DESCENT_H
#define MAPCORE_MAP_BOTTLENECK_DESCENT_H

#include "map/problem.h"

#include <stdbool.h>

/* Of the nearest hosts of a host, those that are tried. */
#define BOTTLENECK_NEAR 8

/* The first three are the caller's, all else is 0 before
 * bottleneck_descent_create. */
struct bottleneck_descent {
    const struct map_problem *problem;
    const struct mapcore_topo *topo;
    bool of_links;   /* else of tasks */
    uint32_t nitems; /* links or tasks */
    uint32_t *host;  /* [ntasks], the caller's */

    /* Places of host h: place_begin[h] .. place_begin[h + 1] - 1. */
    uint32_t *place_begin; /* [nhosts + 1] */
    uint32_t *occupant;    /* [places], or MAPCORE_NONE */
    uint32_t *place;       /* [ntasks]; of a pinned task MAPCORE_NONE */

    uint32_t units;    /* that half of an edge's byte puts on a link */
    uint64_t *load;    /* [nitems], of links as link_loads.h counts, of
                          tasks hop-bytes */
    double *slowness;  /* [nitems], time of a unit of load / that of the
                          slowest */
    uint64_t *before;  /* [nitems], load before the change at hand */
    bool *is_touched;  /* [nitems] by the change at hand */
    uint32_t *touched; /* [ntouched] */
    size_t ntouched;
    uint32_t *route; /* [2 * diameter] */

    bool *is_slow;  /* [nitems] */
    uint32_t *edge; /* [nedges * 2], both tasks of edges over slow links,
                       or of slow tasks */
    size_t nedges, edge_capacity;
    uint32_t
        *near; /* [nhosts * BOTTLENECK_NEAR]; not known yet: the host itself */
    uint16_t *row;  /* [nhosts], scratch for distances_row */
    uint64_t steps; /* of the round */
    double weight;  /* of all items */
    double carried; /* by all of them */
    double most;    /* that they may carry */
    double heat;    /* what a change may cost, in shares of the weight */
    bool timed_out; /* before create or find_edges were through */
};

/* Gives every task a place, and every link or task its load; when time is up
 * before that, timed_out, and it can only be cleared. Clear it in any case.
 * Errors: ENOMEM. */
int bottleneck_descent_create(struct bottleneck_descent *d,
                              struct mapcore_error *err);
void bottleneck_descent_clear(struct bottleneck_descent *d);

/* Finds the slowest, marks those near it, and scales slowness to it. */
void bottleneck_descent_find_slow(struct bottleneck_descent *d);
/* The edges over slow links, or of slow tasks: those that were seen in time.
 * Errors: ENOMEM. */
int bottleneck_descent_find_edges(struct bottleneck_descent *d,
                                  struct mapcore_error *err);

/* Tries to take t to a place of host `to`, which is not its own, and the
 * occupant of that to where t is; whether that is better. It stays so if it
 * may. */
bool bottleneck_descent_exchange(struct bottleneck_descent *d,
                                 uint32_t t,
                                 uint32_t place,
                                 uint32_t to,
                                 bool may_stay);

#endif
