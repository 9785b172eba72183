/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* refine.h - a mapping made better: what hosts hold is exchanged first, then
 * single tasks move, both annealed */
#ifndef MAPCORE_MAP_REFINE_H
#define MAPCORE_MAP_REFINE_H

#include "map/problem.h"

struct arena;
struct pool;

/* What all refinements of a search share. Borrows problem. */
struct refine_base;

/* The arena's, or NULL without memory. */
struct refine_base *refine_base_make(const struct map_problem *problem,
                                     uint64_t seed,
                                     struct arena *arena);

/* One refinement of one mapping. */
struct refine;

/* host: [ntasks], copied. chain: which random numbers. Errors: ENOMEM. */
int refine_create(struct refine **out,
                  const struct refine_base *base,
                  const uint32_t *host,
                  uint32_t chain,
                  struct mapcore_error *err);
void refine_destroy(struct refine *refine);

/* The stages of a refinement, in this order; each may be left out. */
enum refine_stage {
    REFINE_CLUSTERS, /* host clusters, all tasks of a host, change places */
    REFINE_TASKS,    /* tasks move and are exchanged */
    REFINE_DESCENT   /* the same at temperature 0: nothing gets worse */
};

/* The temperature range of a stage, from hot down to cold, as shares of the
 * mean of what changes add or gain when it begins: 1 forgets the mapping that
 * was given, below 0.02 little changes. Descent has none. */
struct refine_temperatures {
    double hot, cold;
};

/* Begins a stage; *n: how many epochs make sense at most, 0 if it has no use
 * here. Errors: ENOMEM. */
int refine_begin(uint32_t *n,
                 struct refine *refine,
                 enum refine_stage stage,
                 struct refine_temperatures temperatures,
                 struct mapcore_error *err);

/* Runs epoch number i of n of the stage, i ascending. The temperature begins at
 * a share of the spread of what changes add, and after the first epoch (for
 * which n does not matter) falls at an even rate to a smaller share. An epoch
 * is a fixed number of proposals in each of up to 16 regions of hosts: each
 * region is changed by one thread, which sees the others as they were before,
 * so the result is the same on any number of threads. pool: of the threads that
 * it may use, NULL: the caller's alone. *done: false when a signal ended it;
 * nothing has changed then. Errors: ENOMEM. */
int refine_epoch(bool *done,
                 struct refine *refine,
                 uint32_t i,
                 uint32_t n,
                 struct pool *pool,
                 struct mapcore_error *err);

/* Epochs from now on have this share of their proposals: 0 .. 1, which it is in
 * the beginning. */
void refine_set_pace(struct refine *refine, double pace);

/* How many epochs of the stage at hand take as long as those of descent would.
 */
double refine_descent_epochs(const struct refine *refine);

/* Ends a refinement by greedy descent: changes that gain, until few are left;
 * pool: as of refine_epoch(). Errors: ENOMEM. */
int refine_descend(struct refine *refine,
                   struct pool *pool,
                   struct mapcore_error *err);

/* Writes the mapping as it is now into host[ntasks]. */
void refine_get_mapping(uint32_t *host, const struct refine *refine);

#endif
