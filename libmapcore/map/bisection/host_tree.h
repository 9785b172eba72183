/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_tree.h - the hosts of an allocation as a binary tree, halved until each
 * is by itself */
#ifndef MAPCORE_MAP_HOST_TREE_H
#define MAPCORE_MAP_HOST_TREE_H

#include "alloc/alloc.h"

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
 * subtrees of the lowest switch above it; elsewhere by who is nearer to which
 * of two hosts far apart. variant: other numbers begin rings elsewhere and
 * break ties between dimensions otherwise. unit >= 1: so many slots of a host
 * count as one, and ntasks are of that size.
 * The arena's, or NULL without memory. O(nhosts log nhosts) for tori and trees
 * of few levels. */
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

#endif
