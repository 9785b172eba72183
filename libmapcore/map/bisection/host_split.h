/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* host_split.h - where to cut a list of hosts in two, along the borders that
 * their network has */
#ifndef MAPCORE_MAP_HOST_SPLIT_H
#define MAPCORE_MAP_HOST_SPLIT_H

#include "alloc/alloc.h"
#include "topo/shape.h"

/* What the cuts of one list of hosts share. */
struct host_split {
    const struct mapcore_alloc *alloc; /* borrowed */
    uint32_t *host; /* [nhosts], the caller's: cuts sort it */
    struct topo_shape shape;
    uint32_t variant;
    uint32_t *spare; /* [nhosts] */
    uint32_t *key;   /* [nhosts of the allocation], what hosts are sorted by */
    uint32_t *count; /* [ncount], zero between calls */
    size_t ncount;
    uint32_t *preorder; /* [nswitches] of a tree, else NULL */
};

struct arena;

/* host: [nhosts] of the allocation, borrowed as alloc is. variant: see
 * host_tree_create. Memory is the arena's. Errors: ENOMEM. */
int host_split_begin(struct host_split *split,
                     const struct mapcore_alloc *alloc,
                     uint32_t *host,
                     uint32_t nhosts,
                     uint32_t variant,
                     struct arena *arena);

/* Sorts host[begin .. end-1] (two at least) and says where its second half
 * begins. */
uint32_t host_split_cut(struct host_split *split, uint32_t begin, uint32_t end);

#endif
