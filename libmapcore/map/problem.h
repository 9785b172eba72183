/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* problem.h - what all mappers of a search are given, and the question whether
 * time is up */
#ifndef MAPCORE_MAP_PROBLEM_H
#define MAPCORE_MAP_PROBLEM_H

#include "alloc/alloc.h"
#include "base/array.h"
#include "graph/graph.h"
#include "topo/shape.h"

#include <stdbool.h>
#include <stddef.h>

/* Asked from any thread; expired NULL: never. */
struct map_deadline {
    bool (*expired)(void *arg);
    void *arg;
};

static inline bool map_deadline_passed(const struct map_deadline *deadline)
{
    return deadline->expired && deadline->expired(deadline->arg);
}

/* The same, but asked only after this number of steps. */
static inline bool map_deadline_look(const struct map_deadline *deadline,
                                     size_t *steps,
                                     size_t between)
{
    if (*steps < between)
        return false;
    *steps = 0;
    return map_deadline_passed(deadline);
}

/* From this number of tasks on, the work of one mapper is worth all threads: rb
 * halves several parts at once, and the portfolio runs its first mappers one by
 * one. Part of what a seed means. */
#define MAP_LARGE 65536

/* Everything is borrowed, and shared by all threads. The tasks are no more
 * than the slots. */
struct map_problem {
    const struct mapcore_graph *graph;
    const struct mapcore_alloc *alloc;
    struct order_cache
        *orders;              /* task lists of GreedyMap; NULL: none is kept */
    const uint32_t *baseline; /* [ntasks] hosts without topomap; NULL: block */
    const uint32_t *pin;      /* [ntasks] the host that a task must be on, or
                                 MAPCORE_NONE; NULL: none must. A mapper need not
                                 look at it: what it gives is settled
                                 (map/constrain/pins.h); refinement does */
    struct map_deadline deadline;
};

/* Of the router of a host of an allocation of a torus. */
static inline uint32_t map_coordinate(const struct mapcore_alloc *alloc,
                                      const struct topo_shape *shape,
                                      uint32_t host,
                                      uint32_t dim)
{
    return shape
        ->coordinates[(size_t)mapcore_alloc_host(alloc, host) * shape->ndims +
                      dim];
}

/* Sorts key[n], and finds the one that comes most often, of these the largest;
 * 0 where there is none. */
static inline uint64_t map_most_common(uint64_t *key, size_t n)
{
    uint64_t most = 0;
    size_t longest = 0;

    array_sort_u64(key, n);
    for (size_t i = 0, run = 0; i < n; i++) {
        run = i > 0 && key[i] == key[i - 1] ? run + 1 : 1;
        if (run >= longest) {
            longest = run;
            most = key[i];
        }
    }
    return most;
}

/* The nearest hosts but `self`, given the distances from it, ties from host
 * `first` on round: `most` at most. Returns how many. */
static inline uint32_t map_nearest(uint32_t *near,
                                   uint32_t most,
                                   const uint16_t *distance,
                                   uint32_t nhosts,
                                   uint32_t self,
                                   uint32_t first)
{
    uint32_t n = 0;

    for (uint32_t i = 0; i < nhosts && most > 0; i++) {
        uint32_t b = first + i < nhosts ? first + i : first + i - nhosts, at;

        if (b == self || (n == most && distance[near[n - 1]] <= distance[b]))
            continue;
        at = n < most ? n++ : n - 1;
        for (; at > 0 && distance[near[at - 1]] > distance[b]; at--)
            near[at] = near[at - 1];
        near[at] = b;
    }
    return n;
}

#endif
