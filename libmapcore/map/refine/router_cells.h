/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* router_cells.h - the routers of an allocation of a torus or mesh, and the
 * cells: what each of them holds in a mapping, which stays together */
#ifndef MAPCORE_MAP_ROUTER_CELLS_H
#define MAPCORE_MAP_ROUTER_CELLS_H

#include "map/problem.h"
#include "map/refine/coarse_graph.h"

/* Dimensions of more than one router, at most. */
#define ROUTER_CELLS_DIMS 8

/* Dimensions of one router are left out. A router's number is the sum of its
 * coordinates times strides. */
struct router_cells {
    const struct map_problem *problem;
    uint32_t ndims, size[ROUTER_CELLS_DIMS], stride[ROUTER_CELLS_DIMS];
    bool wraps[ROUTER_CELLS_DIMS];
    uint32_t nrouters;
    uint32_t *x; /* [nrouters * ndims] */
    uint32_t
        *hops[ROUTER_CELLS_DIMS]; /* [size * size] between two coordinates */
    uint32_t *of;                 /* [nhosts] router */
    uint32_t *first;              /* [nrouters + 1] */
    uint32_t *member;     /* [nhosts] hosts, by router: member[first[r]] .. */
    uint32_t *index;      /* [nhosts] which of its router's */
    bool *may_turn;       /* [nrouters] */
    uint32_t n, nturning; /* cells: one a router that has hosts */
    uint32_t *turning;    /* [nturning] cells that may turn */
    uint32_t *cell;       /* [ntasks] */
    uint32_t *home;       /* [n] router that a cell was made of */
    struct coarse_graph *graph; /* of cells */
    double mean;                /* bytes of an edge of it */
};

/* *out: NULL where nothing could be turned: the network is no torus of two
 * dimensions or more, its routers are a box without holes, in which a grid lies
 * well as it is, or fewer than four may change places. Those may whose hosts
 * are as many, of as many slots, as most routers' are, and hold no pinned task.
 * host: [ntasks]. Borrows problem. O(E log d). Errors: ENOMEM. */
int router_cells_create(struct router_cells **out,
                        const struct map_problem *problem,
                        const uint32_t *host,
                        struct mapcore_error *err);
void router_cells_destroy(struct router_cells *cells);

#endif
