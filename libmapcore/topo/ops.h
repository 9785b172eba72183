/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ops.h - what every kind of network does in its own way, and what all of them
 * begin with; private to topo/ */
#ifndef MAPCORE_TOPO_OPS_H
#define MAPCORE_TOPO_OPS_H

#include "base/error.h"
#include "base/name_set.h"

#include <stdbool.h>

struct mapcore_topo;
struct topo_shape;
struct topo_rows;

/* Hosts and links are in range; see topo.h, walk.h and shape.h for the meaning
 * of each. */
struct topo_ops {
    void (*destroy)(struct mapcore_topo *topo); /* what is not in the base */
    uint32_t (*distance)(const struct mapcore_topo *topo,
                         uint32_t a,
                         uint32_t b);
    uint32_t (*distance_flat)(const struct mapcore_topo *topo,
                              uint32_t a,
                              uint32_t b);
    uint32_t (*route)(const struct mapcore_topo *topo,
                      uint32_t a,
                      uint32_t b,
                      uint32_t *links);
    /* NULL: all of what a sends to b takes the route. */
    uint32_t (*split_route)(const struct mapcore_topo *topo,
                            uint32_t a,
                            uint32_t b,
                            uint32_t *links,
                            uint32_t *whole);
    /* NULL: "s0 - s2", by the names of the ends. */
    int (*link_name)(const struct mapcore_topo *topo,
                     uint32_t link,
                     char *buffer,
                     size_t size);
    int (*distance_block)(uint16_t *out,
                          const struct mapcore_topo *topo,
                          const struct topo_rows *rows,
                          struct mapcore_error *err);
    /* The host at a place written otherwise than by its name, or
     * MAPCORE_NONE; NULL where there is no such notation. */
    uint32_t (*find_place)(const struct mapcore_topo *topo, const char *place);
    /* The graph, as walk.h has it. */
    bool (*link_ends)(const struct mapcore_topo *topo,
                      uint32_t link,
                      uint32_t end[2]);
    uint32_t (*host_vertex)(const struct mapcore_topo *topo, uint32_t host);
    /* NULL: no host is. */
    bool (*is_attached)(const struct mapcore_topo *topo, uint32_t host);
    /* Name of a switch's vertex; like snprintf. */
    int (*vertex_name)(const struct mapcore_topo *topo,
                       uint32_t vertex,
                       char *buffer,
                       size_t size);
    uint32_t (*next_hops)(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to);
    double (*link_capacity)(const struct mapcore_topo *topo, uint32_t link);
    /* Into an empty one; NULL: nothing is known. */
    void (*shape)(struct topo_shape *out, const struct mapcore_topo *topo);
    uint32_t link_directions;
};

/* The beginning of every kind's own structure. */
struct mapcore_topo {
    const struct topo_ops *ops;
    uint32_t nhosts, nswitches, nlinks, diameter;
    uint32_t max_next_hops;  /* minimal ways to go on from a vertex */
    bool has_capacities;     /* they were stated */
    bool assumes_capacities; /* they were not, and are known all the same */
    char *description;
    struct name_set names; /* n = nhosts, or 0: hosts have no names */
};

#endif
