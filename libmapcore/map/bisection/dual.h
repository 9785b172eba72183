/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* dual.h - dual recursive bipartitioning: tasks in the parts of a tree of
 * hosts, and cuts of some of them that heed where all others are
 *
 * This is Pellegrini and Roman (1996), but not by libscotch's SCOTCH_graphMap,
 * because a launch needs what that does not give:
 *   - a deadline: SCOTCH_graphMap cannot be stopped;
 *   - the same mapping on any number of threads, from a seed of its own: before
 *     the contexts of Scotch 7 its random numbers are state of the process;
 *   - cuts of one or two parts again, with the external gains of all others
 *     (dual_exchange): with SCOTCH_graphMapFixed each would take the time of
 * the whole graph. On irregular graphs they take 3 to 6% off the hop-bytes
 *     (mapcore-mappers(7), multilevel beside rb);
 *   - no host above its slots, where Scotch balances within a tolerance.
 * tests/bench/map.sh holds topomap beside scotch_gmap. */
#ifndef MAPCORE_MAP_DUAL_H
#define MAPCORE_MAP_DUAL_H

#include "alloc/alloc.h"
#include "map/bisection/bisect.h"
#include "map/problem.h"

struct arena;

/* A vertex of the tree: hosts that lie together. The halves of a part stand
 * behind it in the list, next to each other. */
struct host_part {
    uint32_t begin, end; /* of host[] */
    uint32_t slots;      /* of all its hosts */
    uint32_t half;       /* the first of its two halves, or MAPCORE_NONE: one
                            host */
    uint32_t level;      /* 0 for the whole */
};

struct host_tree {
    const struct mapcore_alloc *alloc; /* borrowed */
    uint32_t unit;                     /* slots that count as one */
    uint32_t nhosts;
    uint32_t *host; /* [nhosts] those in use, near ones near one another */
    uint32_t nparts;
    struct host_part *part; /* [nparts = 2 nhosts - 1], level by level;
                                  part 0 is the whole */
};

/* Takes hosts with slots for ntasks <= slots of the allocation: all, or where
 * fewer do, a compact part: the hosts nearest to the one (of 64 tried) from
 * which these are nearest. Each part is then halved, as evenly in slots as the
 * network's own borders allow: on a torus by a plane across the dimension in
 * which it is longest (a whole ring of n counts as a line of 3n/4, whose mean
 * distance is the same), beginning behind its widest gap; on a tree between
 * subtrees of the lowest switch above it; elsewhere each host goes with the
 * nearer of two hosts far apart. variant: other numbers begin rings elsewhere
 * and break ties between dimensions otherwise. unit >= 1: that number of slots
 * of a host count as one, and ntasks are of that size. The arena's, or NULL
 * without memory. O(nhosts log nhosts) for tori and trees of few levels. */
struct host_tree *host_tree_create(const struct mapcore_alloc *alloc,
                                   uint32_t ntasks,
                                   uint32_t unit,
                                   uint32_t variant,
                                   struct arena *arena);

/* Slots of a host of the allocation, in units. */
uint32_t host_tree_slots(const struct host_tree *tree, uint32_t host);

/* Mean distance of a host of part p to one of part q, in links times
 * HOST_TREE_LINK; of at most 16 hosts of each, evenly spaced in host[]. */
#define HOST_TREE_LINK 64
uint32_t host_tree_distance(const struct host_tree *tree,
                            uint32_t p,
                            uint32_t q);

/* This many parts may be halved at the same time. */
#define DUAL_CUTS 64

struct pool;

/* Cuts the graph of a part, whose vertex v is task[v]: sets level->side,
 * `first` of them 0. */
typedef void dual_cut(void *arg,
                      struct bisect_level *level,
                      const uint32_t *task,
                      uint32_t first);

/* How thoroughly parts are halved. */
struct dual_effort {
    uint32_t tries; /* first cuts of the coarsest graph */
    struct bisect_gains_effort moves;
    bool heeds_numbers; /* tries cuts by the numbers of the tasks as well */
    bool by_clusters;   /* as bisect.h has it */
};

/* A cut under way: tasks of one or two parts, and the parts that the sides
 * stand for. */
struct cut_context {
    uint32_t p, q; /* from where; q may be MAPCORE_NONE */
    uint32_t np, n;
    uint32_t side[2];
    uint64_t number; /* of the cut: of random streams and of known[] */
    uint32_t apart;  /* what a unit of weight between the sides costs more than
                        within one, in links times 2 HOST_TREE_LINK */
    uint64_t *known; /* [nparts] the cut for which external_gain[] was found */
    int32_t *external_gain; /* [nparts] what a unit of weight to that part costs
                      more on side 1 than on side 0, likewise */
    struct bisect bisect;
    bool timed_out; /* time was up */
    int error;
    struct mapcore_error err;
};

/* Where a task is: side by side, since edges lead to tasks all over memory. */
struct dual_where {
    uint32_t part, place; /* where it stands in task[] */
};

/* Every task is in one part; at first all are in part 0, the whole. */
struct dual {
    const struct map_problem *problem;
    struct host_tree *tree;
    const struct dual_effort *effort; /* borrowed */
    uint32_t drafts;                  /* as bisect_task has them */
    dual_cut *cut_by;                 /* or NULL */
    void *arg;
    uint64_t seed;
    uint64_t ncuts;           /* so far */
    unsigned shift;           /* bytes are divided by 2^shift and rounded up */
    struct dual_where *where; /* [ntasks] */
    uint32_t *task;           /* [ntasks] those of a part next to each other */
    uint32_t *spare;          /* [ntasks] */
    uint32_t *begin; /* [nparts] where the tasks of a part begin in task[] */
    uint32_t *count; /* [nparts] and how many there are */
    uint32_t *next;  /* [nparts] of dual_sort */
    struct cut_context cut[DUAL_CUTS]; /* made when first used */
    struct arena *arena;
    /* Of dual_exchange. */
    uint64_t *traffic; /* [nparts] bytes of the part at hand to others; zero
                          between calls */
    uint32_t *partner; /* [nparts] those with traffic */
    uint32_t *changed; /* [nparts] the last round in which a part changed */
};

struct dual_how {
    const struct dual_effort *effort; /* borrowed */
    uint64_t seed;
    uint32_t drafts;        /* as bisect_task has them */
    uint32_t unit, variant; /* of host_tree_create; a task of the problem is a
                               unit */
    dual_cut *cut;          /* instead of bisect_run, for parts one by one, in
                               proportion to their slots; NULL */
    void *arg;              /* its own */
};

/* The arena's, as all that it has but for cuts: dual_end is due. Errors:
 * ENOMEM, ERANGE (more than 2^29 edges). */
int dual_create(struct dual **out,
                const struct map_problem *problem,
                const struct dual_how *how,
                struct arena *arena);
/* Takes NULL. */
void dual_end(struct dual *dual);

/* Cuts the tasks of n parts of one level, DUAL_CUTS at most, anew for their
 * halves. Each takes the others for not halved yet, so the result is the same
 * on any number of threads. pool: of those that it may use, NULL: the caller's
 * alone. *timed_out: time was up, and nothing has changed. Errors: ENOMEM. */
int dual_halve(struct dual *dual,
               bool *timed_out,
               const uint32_t *part,
               uint32_t n,
               struct pool *pool,
               struct mapcore_error *err);

/* Exchanges tasks between parts p and q, which keep their numbers of tasks, if
 * that gains anything; the distances of both to all other parts, and within
 * each, are taken as their means: exact for single hosts. */
int dual_exchange_pair(struct dual *dual,
                       bool *timed_out,
                       bool *changed,
                       uint32_t p,
                       uint32_t q,
                       struct mapcore_error *err);

/* Every part that has tasks now with each of the `partners` parts to which it
 * sends most (ties: the first), in rounds, from the second on only where one of
 * the two changed in the round before, until nothing changes or rounds are
 * over. Errors: ENOMEM. */
int dual_exchange(struct dual *dual,
                  bool *timed_out,
                  uint32_t partners,
                  uint32_t rounds,
                  struct mapcore_error *err);

/* Sorts the tasks of every part by number, as dual_halve wants them; they are
 * until parts exchange some. */
void dual_sort(struct dual *dual);

/* host[ntasks]: of a part that is a single host, that one. Another one's hosts
 * are filled one after the other, in the order of the tasks' numbers or breadth
 * first along the part's edges, whichever has fewer bytes between hosts that
 * are far from each other in that order: so what was cut short is something,
 * too. Tasks of such parts change their places in dual->task. O(E). Errors:
 * ENOMEM. */
int dual_fill(uint32_t *host, struct dual *dual);

#endif
