/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select.h - nodes of a 3-D torus for a Cartesian grid: prisms, or what the
 * resource manager gave */
#ifndef TOOLS_SELECT_H
#define TOOLS_SELECT_H

#include "cart/blocks.h"
#include "tools/torus/routers.h"

struct select_query {
    struct mapcore_blocks layout; /* block: of a router; axis only if
                                          has_axes */
    bool has_axes;
    bool any;            /* no prism */
    bool only_nodes;     /* --size: a block is a router, there are no ranks */
    uint32_t split;      /* the dimension that a router's nodes divide, or
                            MAPCORE_NONE: choose */
    uint32_t per_router; /* nodes; 0: as many as the routers have */
    double weight[MAPCORE_BLOCKS_DIMS]; /* bytes of a task to its neighbour */
    size_t best;                        /* choices wanted */
    bool keeps_order; /* nodes are listed as they were given: those of a job */
};

struct select_choice {
    uint32_t axis[MAPCORE_BLOCKS_DIMS];
    uint32_t size[3], start[3];
    uint32_t skipped_rows, skipped_planes;
    const char *curve; /* with any */
    uint32_t *node;    /* [nplaces], owned: nodes of the routers, by place */
    uint32_t longest;  /* hops between nodes whose tasks talk */
    double mean;       /* of those at different routers */
    double slowest;    /* time of the slowest link */
    double hops_per_byte;
};

struct selection {
    struct mapcore_blocks layout; /* block: of a node */
    uint32_t nplaces, nper;       /* nodes, tasks of each */
    uint32_t per_router, split;
    uint32_t usable; /* routers with so many nodes */
    size_t n;
    struct select_choice *choice; /* [n], the best first */
};

/* Errors: EINVAL with the numbers (a block that the nodes of a router cannot
 * divide, a grid larger than what there is), ENOENT (no prism fits), ERANGE,
 * ENOMEM. out is ended by select_clear. */
int select_nodes(struct selection *out,
                 const struct select_query *query,
                 const struct routers *routers,
                 struct mapcore_error *err);
void select_clear(struct selection *selection);

/* The steps of it that select_any.c and select.c share. */

/* Ways to lay dimensions along axes. */
struct select_axes {
    uint32_t axis[MAPCORE_BLOCKS_DIMS];
    double cost; /* traffic over capacity, summed over the dimensions */
};
enum {
    SELECT_WAYS = 6,
};
/* Puts a choice, whose nodes it takes over in any case, among the best. */
int select_keep(struct selection *selection,
                struct select_choice *choice,
                size_t capacity,
                struct mapcore_error *err);
/* Longest, mean, slowest and hops_per_byte of a choice with nodes. */
int select_measure(struct select_choice *choice,
                   const struct selection *selection,
                   const struct select_query *query,
                   const struct routers *routers,
                   struct mapcore_error *err);
/* Which place of the layout has the block of router-place p and node h of it:
 * place[nplaces], in the order of p * per_router + h. */
int select_places(uint32_t **place,
                  const struct selection *selection,
                  const struct mapcore_blocks *layout,
                  struct mapcore_error *err);
/* With any: keeps the best order of the nodes for one way. */
int select_any(struct selection *selection,
               const struct select_query *query,
               const struct mapcore_blocks *layout,
               const struct routers *routers,
               struct mapcore_error *err);

#endif
