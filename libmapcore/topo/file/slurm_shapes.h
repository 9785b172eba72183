/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* slurm_shapes.h - blocks, rings and tori of Slurm's between their reading and
 * what is made of them */
#ifndef MAPCORE_TOPO_SLURM_SHAPES_H
#define MAPCORE_TOPO_SLURM_SHAPES_H

#include "base/hosts.h"
#include "base/name_set.h"
#include "base/text.h"

#include <stdbool.h>

struct mapcore_topo;

/* A block, ring or torus, or a part of one. */
struct slurm_unit {
    enum slurm_unit_kind { BLOCK, AGGREGATED, RING, TORUS, REGION } kind;
    size_t line;
    char *name; /* AGGREGATED: a list of blocks */
    struct hosts nodes;
    uint32_t dims[3];
    uint32_t anchor[3];
    bool has_dims;
};

struct slurm_shapes {
    struct text *text;
    struct mapcore_error *err;
    struct slurm_unit *unit;
    size_t nunits, capacity;
    size_t nnames;      /* in all lists */
    uint64_t sizes[32]; /* BlockSizes= */
    size_t nsizes;
    /* All nodes, in the order of the units. */
    struct name_set hosts;
};

/* Whether a line of topology.conf begins a file of these. */
bool slurm_shapes_begin(const char *line);
/* Errors: EPARSE, ERANGE, ENOMEM. */
int slurm_shapes_read(struct mapcore_topo **out,
                      struct text *text,
                      char *first_line,
                      struct mapcore_error *err);

/* Makes the sentence about a unit; returns EPARSE. */
static inline int slurm_shapes_fail(const struct slurm_shapes *r,
                                    const struct slurm_unit *unit,
                                    const char *what)
{
    return error_set(r->err, MAPCORE_EPARSE, "%s:%zu: %.100s: %s",
                     text_name(r->text), unit->line, unit->name, what);
}

/* From units that are all blocks, or all rings or tori, with every node once.
 * Errors: EPARSE, ERANGE, ENOMEM. */
int slurm_shapes_create_blocks(struct mapcore_topo **out,
                               const struct slurm_shapes *shapes);
int slurm_shapes_create_tori(struct mapcore_topo **out,
                             struct slurm_shapes *shapes);

#endif
