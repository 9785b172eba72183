/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* select.h - nodes of a 3-D torus for a Cartesian grid: prisms, or what the
 * resource manager gave */
#ifndef TOOLS_SELECT_H
#define TOOLS_SELECT_H

#include "cart/prism.h"
#include "cart/torus_loads.h"
#include "tools/grid/routers.h"

struct select_choice {
    struct mapcore_blocks layout; /* along axes, and in tiles */
    struct mapcore_prism prism;   /* without its routers */
    const char *curve;            /* with any, in place of a prism */
    uint32_t *node; /* [nplaces + nspare], owned: by place, then those to
                       spare */
    uint32_t nspare;
    uint32_t longest; /* hops between nodes whose tasks talk */
    double mean;      /* of those at different routers */
    double slowest;   /* time of the slowest link */
    double hops_per_byte;
};

struct selection {
    /* What is asked for. */
    const struct routers *routers; /* borrowed */
    struct mapcore_error *err;     /* which all that fails sets; borrowed */
    struct mapcore_blocks
        layout; /* block: of a router; axis only if has_axes */
    bool has_axes;
    bool any;         /* no prism */
    bool any_tiles;   /* layout.tiled: whichever are best */
    bool only_nodes;  /* no --block: a block is a router, there are no ranks */
    bool keeps_order; /* nodes are listed as they were given: those of a job */
    uint32_t split; /* the dimension that a router's nodes divide; MAPCORE_NONE:
                       select_nodes chooses */
    uint32_t per_router; /* nodes; 0: as many as the routers have */
    uint32_t spare;      /* nodes to spare */
    size_t best;         /* choices wanted */

    /* What select_nodes makes of it. */
    struct mapcore_blocks node; /* the layout with the block of a node */
    uint32_t nplaces, nper;     /* nodes, tasks of each */
    uint32_t nusable;           /* routers with that number of nodes */
    bool *usable;               /* [nrouters], owned: which */
    struct torus_loads loads;   /* empty but while something is measured */
    size_t n;
    struct select_choice *choice; /* [n], owned: the best first */
};

/* Ended by select_clear, also after a failure. Errors: EINVAL with the numbers
 * (a block that the nodes of a router cannot divide, a grid larger than what
 * there is), ENOENT (no prism fits), ERANGE, ENOMEM. */
int select_nodes(struct selection *selection);
void select_clear(struct selection *selection);

/* select_choice.c. */

/* What the places of a layout say to each other, each at a router. */
struct select_paths {
    uint32_t longest;     /* hops */
    uint64_t hops, apart; /* of all pairs; pairs at different routers */
    double hop_bytes, slowest;
};
int select_measure(struct select_paths *out,
                   struct selection *selection,
                   const struct mapcore_blocks *layout,
                   const uint32_t *router);
/* Measures a choice of node[nplaces], those of one router's block after the
 * other, and puts it among the best. */
int select_keep(struct selection *selection,
                struct select_choice choice,
                const uint32_t *node);
/* Gives a choice selection->spare > 0 nodes to spare, rounded up to whole
 * routers: of those that it has not, the nearest to any of its routers, then to
 * all of them. Errors: ENOENT (fewer are left), ENOMEM. */
int select_spare(struct select_choice *choice,
                 const struct selection *selection);

/* select_ways.c: to lay the dimensions along axes, a sheet in super-tiles. */
struct select_way {
    struct mapcore_blocks layout;
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

/* Into an empty one; free(out->way) is due also after a failure. Errors: ENOENT
 * (no super-tiles fit), ENOMEM. */
int select_ways_list(struct select_ways *out, struct selection *selection);
/* Whether one is more promising than the other. */
bool select_ways_differ(const struct select_way *a, const struct select_way *b);

/* select_nearest.c: where nothing fits. Appends to the text of err, which says
 * that a query fits nowhere and with which status, "; 14x14x20x16, ... and ...
 * would fit": the grids, or with only_nodes boxes, of up to three sizes that
 * are fewest steps away along all dimensions together, a step being a block, or
 * a block of each tile; nothing where none does. Returns that status. Errors:
 * ENOMEM. */
int select_nearest(const struct selection *selection, int reason);

#endif
