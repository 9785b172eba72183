/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* machine_split.h - where to cut a part of a machine in two */
#ifndef MAPCORE_MAP_MACHINE_SPLIT_H
#define MAPCORE_MAP_MACHINE_SPLIT_H

#include "map/bisection/machine.h"
#include "topo/shape.h"

/* What the cuts of one machine share. */
struct machine_split {
    struct machine_tree *machine;
    struct topo_shape shape;
    uint32_t variant;
    uint32_t *spare; /* [nhosts] */
    uint32_t *key;   /* [nhosts of the allocation], what hosts are sorted by */
    uint32_t *count; /* [ncount], zero between calls */
    size_t ncount;
    uint32_t *preorder; /* [nswitches] of a tree, else NULL */
};

/* Errors: ENOMEM. */
int machine_split_begin(struct machine_split *split,
                        struct machine_tree *machine,
                        uint32_t variant,
                        struct mapcore_error *err);
void machine_split_end(struct machine_split *split);

/* Sorts host[begin .. end-1] (two at least) and says where its second half
 * begins. */
uint32_t machine_split_cut(struct machine_split *split,
                           uint32_t begin,
                           uint32_t end);

#endif
