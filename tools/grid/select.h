/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select.h - nodes of a 3-D torus for a Cartesian grid: prisms, or what the
 * resource manager gave */
#ifndef TOOLS_SELECT_H
#define TOOLS_SELECT_H

#include "cart/blocks.h"
#include "tools/grid/routers.h"

struct select_query {
    struct mapcore_blocks layout; /* block: of a router; axis only if
                                          has_axes */
    bool has_axes;
    bool any;        /* no prism */
    bool any_tiles;  /* layout.tiled: whichever are best */
    bool only_nodes; /* no --block: a block is a router, there are no ranks */
    uint32_t split;  /* the dimension that a router's nodes divide, or
                        MAPCORE_NONE: choose */
    uint32_t per_router; /* nodes; 0: as many as the routers have */
    double weight[MAPCORE_BLOCKS_DIMS]; /* bytes of a task to its neighbour */
    uint32_t spare;                     /* nodes to spare */
    size_t best;                        /* choices wanted */
    bool keeps_order; /* nodes are listed as they were given: those of a job */
};

struct select_choice {
    uint32_t axis[MAPCORE_BLOCKS_DIMS];
    uint32_t tiles[2]; /* with layout.tiled */
    bool staggers;
    uint32_t size[3], start[3];
    uint32_t skipped_rows, skipped_planes;
    const char *curve; /* with any */
    uint32_t *node;    /* [nplaces], owned: nodes of the routers, by place */
    uint32_t *spare, nspare; /* owned: nodes */
    uint32_t longest;        /* hops between nodes whose tasks talk */
    double mean;             /* of those at different routers */
    double slowest;          /* time of the slowest link */
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

/* select_choice.c. */

/* Bytes of the tasks on a block's surface across dimension i, and between two
 * blocks that are next to each other. */
double select_traffic(const struct mapcore_blocks *layout,
                      const double *weight,
                      uint32_t i);
double select_pair_bytes(const struct mapcore_blocks *layout,
                         const double *weight,
                         const uint32_t pair[2]);
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
/* Gives a choice `wanted` > 0 nodes to spare, rounded up to
 * whole routers: of those that it has not, the nearest to any of its routers,
 * then to all of them. Errors: ENOENT (not so many are left), ENOMEM. */
int select_spare(struct select_choice *choice,
                 const struct selection *selection,
                 uint32_t wanted,
                 const struct routers *routers,
                 struct mapcore_error *err);

/* select_any.c. With any: keeps the best order of the nodes for one way. */
int select_any(struct selection *selection,
               const struct select_query *query,
               const struct mapcore_blocks *layout,
               const struct routers *routers,
               struct mapcore_error *err);

/* select_ways.c: to lay the dimensions along axes, a sheet in super-tiles. */
struct select_way {
    uint32_t axis[MAPCORE_BLOCKS_DIMS];
    uint32_t tiles[2]; /* with layout.tiled */
    bool staggers;
    uint32_t longest; /* with any_tiles: hops, on a torus without holes */
    double cost;      /* traffic over capacity, summed over the dimensions; with
                         any_tiles the time of the slowest link; else 0 */
};

enum { SELECT_AXIS_ORDERS = 6 };
extern const uint32_t select_axis_orders[SELECT_AXIS_ORDERS][3];

struct select_ways {
    size_t n, capacity;
    struct select_way *way; /* by longest, then cost */
};

/* Into an empty one, ended by select_ways_clear, also after a failure. Errors:
 * ENOENT (no super-tiles fit), ENOMEM. */
int select_ways_list(struct select_ways *out,
                     const struct select_query *query,
                     const struct routers *routers,
                     struct mapcore_error *err);
void select_ways_clear(struct select_ways *ways);
/* Whether one is more promising than the other. */
bool select_ways_differ(const struct select_way *a, const struct select_way *b);

/* select_nearest.c: where nothing fits. Appends to the text of err, which says
 * that a query fits nowhere and with which status, "; 14x14x20x16, ... and ...
 * would fit": the grids, or with only_nodes boxes, of up to three sizes that
 * are fewest steps away along all dimensions together, a step being a block, or
 * a block of each tile; nothing where none does. usable: [routers->nrouters].
 * Returns that status. Errors: ENOMEM. */
int select_nearest(const struct select_query *query,
                   const bool *usable,
                   const struct routers *routers,
                   int reason,
                   struct mapcore_error *err);

#endif
