/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* greedymap.h - GreedyMap: one configuration, and one run of it */
#ifndef MAPCORE_MAP_GREEDYMAP_H
#define MAPCORE_MAP_GREEDYMAP_H

#include "base/rng.h"
#include "map/greedy/order.h"
#include "map/problem.h"

#include <stdbool.h>

/* What a place for the next task costs. */
enum greedymap_cost {
    GREEDYMAP_HOP,  /* hop-bytes of the task to its placed neighbours */
    GREEDYMAP_MAX,  /* maximum hop-bytes of a task of the partial solution */
    GREEDYMAP_LINK, /* busiest link of the partial solution */
};

/* Values of delta besides a number of hosts. */
#define GREEDYMAP_ALL  0
#define GREEDYMAP_SQRT UINT32_MAX

/* The longest `order=FILE`. */
#define GREEDYMAP_PATH 1024

/* The tuple of ICS'17 section 4.5. */
struct greedymap_config {
    enum order_kind order;
    uint32_t delta; /* hosts examined: a number, or one of the two above; sqrt
                       is the root of the number of hosts, rounded up */
    bool pack;      /* packNodeFirst */
    enum greedymap_cost cost;
    bool wrap;                 /* Torus_Wrap */
    char path[GREEDYMAP_PATH]; /* with ORDER_CUSTOM */
};

/* Parses `greedymap` or `greedymap:order=...,delta=...,pack=...,cost=...,
 * wrap=...` (any of them, any order; left out: OO, all, 1, hop, 1). Errors:
 * EINVAL, naming what is allowed. */
int greedymap_parse(struct greedymap_config *out,
                    const char *text,
                    struct mapcore_error *err);
/* The same in full; like snprintf. */
int greedymap_print(const struct greedymap_config *config,
                    char *buffer,
                    size_t size);
/* A number that no other configuration has (files all count as one), for
 * random streams: below 2^40. */
uint64_t greedymap_number(const struct greedymap_config *config);

enum greedymap_end {
    GREEDYMAP_DONE,
    GREEDYMAP_CUT, /* expired turned true: host is not complete */
};

/* Algorithm 1 of ICS'17 (Galvez, Jain, Kale, 2017) into host[ntasks]. n_l
 * starts at host 0 of the allocation. The delta closest nodes of line 8 are
 * taken among the hosts that still have a free processor, n_l itself included,
 * by distance from n_l, ties by index. Line 10 draws among free processors, so
 * a host with two of them is twice as likely as a host with one. rng is used
 * up; *drew tells if any draw was between several hosts. Costs are exact
 * integers unless the graph has more than 2^63 / diameter bytes: then bytes
 * lose their last bits.
 * O(T d + S delta d + S N) with S = T, or with pack N, searches.
 * Errors: ENOMEM. */
int greedymap_run(uint32_t *host,
                  enum greedymap_end *end,
                  bool *drew,
                  const struct map_problem *problem,
                  const struct greedymap_config *config,
                  const uint32_t *list,
                  struct rng *rng,
                  struct mapcore_error *err);

#endif
