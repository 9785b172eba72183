/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm_shapes.h - blocks, rings and tori of Slurm's between their reading and
 * what is made of them */
#ifndef MAPCORE_TOPO_SLURM_SHAPES_H
#define MAPCORE_TOPO_SLURM_SHAPES_H

#include "base/hosts.h"
#include "topo/file/slurm.h"

/* A block, ring or torus, or a part of one. */
struct part {
    enum part_kind { BLOCK, AGGREGATED, RING, TORUS, REGION } kind;
    size_t line;
    char *name; /* AGGREGATED: a list of blocks */
    struct hosts nodes;
    uint32_t dims[3];
    uint32_t anchor[3];
    bool has_dims;
};

struct shapes {
    struct text *text;
    struct mapcore_error *err;
    struct part *part;
    size_t nparts, capacity;
    uint64_t sizes[32]; /* BlockSizes= */
    size_t nsizes;
    /* All nodes, in the order of the parts. */
    struct name_set hosts;
};

/* Makes the sentence about a part; returns EPARSE. */
int shapes_fail(const struct shapes *shapes,
                const struct part *part,
                const char *what);

/* From parts that are all blocks, or all rings or tori, with every node once.
 * Errors: EPARSE, ERANGE, ENOMEM. */
int shapes_create_blocks(struct mapcore_topo **out,
                         const struct shapes *shapes);
int shapes_create_tori(struct mapcore_topo **out, struct shapes *shapes);

#endif
