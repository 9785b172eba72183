/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* machine.h - the hosts of an allocation, halved until each is by itself */
#ifndef MAPCORE_MAP_MACHINE_H
#define MAPCORE_MAP_MACHINE_H

#include "alloc/alloc.h"

/* Hosts that lie together. The halves of a part stand behind it in the list,
 * next to each other. */
struct machine_part {
    uint32_t begin, end; /* of host[] */
    uint32_t slots;      /* of all its hosts */
    uint32_t half;       /* the first of its two halves, or MAPCORE_NONE: one
                            host */
    uint32_t level;      /* 0 for the whole */
};

struct machine_tree {
    const struct mapcore_alloc *alloc; /* borrowed */
    uint32_t nhosts;
    uint32_t *host; /* [nhosts] those in use, near ones near one another */
    uint32_t nparts;
    struct machine_part *part; /* [nparts = 2 nhosts - 1], level by level;
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
 * break ties between dimensions otherwise.
 * O(nhosts log nhosts) for tori and trees of few levels. Errors: ENOMEM. */
int machine_create(struct machine_tree **out,
                   const struct mapcore_alloc *alloc,
                   uint32_t ntasks,
                   uint32_t variant,
                   struct mapcore_error *err);
void machine_destroy(struct machine_tree *machine);

/* Mean distance of a host of part p to one of part q, in links times
 * MACHINE_LINK; of at most 16 hosts of each, evenly spaced in host[]. */
#define MACHINE_LINK 64
uint32_t machine_distance(const struct machine_tree *machine,
                          uint32_t p,
                          uint32_t q);

#endif
