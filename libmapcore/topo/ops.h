/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* ops.h - what every kind of network does in its own way, and what all of them
 * begin with; private to topo/ */
#ifndef MAPCORE_TOPO_OPS_H
#define MAPCORE_TOPO_OPS_H

#include "base/array.h"
#include "base/name_set.h"
#include "topo/shape.h"

struct mapcore_topo;
struct topo_rows;

/* Hosts and links are in range; see topo.h and walk.h for the meaning of each.
 */
struct topo_ops {
    /* What is not in the base nor its arena; or NULL. */
    void (*destroy)(struct mapcore_topo *topo);
    /* Links between two switches, where each host has one to its own; NULL:
     * distance and distance_block say all. */
    uint32_t (*between)(const struct mapcore_topo *topo,
                        uint32_t s,
                        uint32_t t);
    /* wraps: false as if nothing did, where anything does. */
    uint32_t (*distance)(const struct mapcore_topo *topo,
                         uint32_t a,
                         uint32_t b,
                         bool wraps);
    int (*distance_block)(uint16_t *out,
                          const struct mapcore_topo *topo,
                          const struct topo_rows *rows,
                          struct mapcore_error *err);
    /* NULL: split_route with whole NULL says it. */
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
    /* The host at a place written otherwise than by its name, or
     * MAPCORE_NONE; NULL where there is no such notation. */
    uint32_t (*find_place)(const struct mapcore_topo *topo, const char *place);
    /* The graph, as walk.h has it. */
    bool (*link_ends)(const struct mapcore_topo *topo,
                      uint32_t link,
                      uint32_t end[2]);
    /* NULL: all_attached says it of all hosts. */
    bool (*is_attached)(const struct mapcore_topo *topo, uint32_t host);
    bool all_attached;
    /* Name of a switch that has none of its own; like snprintf. */
    int (*switch_name)(const struct mapcore_topo *topo,
                       uint32_t s,
                       char *buffer,
                       size_t size);
    uint32_t (*next_hops)(const struct mapcore_topo *topo,
                          uint32_t vertex,
                          uint32_t b,
                          uint32_t *link,
                          uint32_t *to);
    /* NULL: its cable's. */
    double (*link_capacity)(const struct mapcore_topo *topo, uint32_t link);
    uint32_t link_directions;
};

/* The beginning of every kind's own structure. */
struct mapcore_topo {
    const struct topo_ops *ops;
    struct arena memory; /* of what the kind has, until it is destroyed */
    uint32_t nhosts, nswitches, nlinks, diameter;
    uint32_t max_next_hops;  /* minimal ways to go on from a vertex */
    uint32_t most_cables;    /* of a link; 0: all are single */
    bool has_capacities;     /* they were stated */
    bool assumes_capacities; /* they were not, and are known all the same */
    double *capacity; /* of each cable: a link, or two, one a direction */
    char *description;
    struct name_set names; /* n = nhosts, or 0: hosts have no names */
    char **switch_names;   /* [nswitches], elements may be NULL; or NULL */
    uint32_t *at; /* [nhosts], the switch that each is at or has its first cable
                     to */
    struct topo_shape shape;
    uint32_t rails; /* of nodes, as described; 0: one */
    /* Of a network by rail, rails.c: hosts in a row that are of one node, 0:
     * one; the network of nodes, and the switch of that which each is of. */
    uint32_t interfaces;
    const struct mapcore_topo *of;
    const uint32_t *origin; /* [nswitches] */
    /* "n1 rail 2"; like snprintf. */
    int (*vertex_name)(const struct mapcore_topo *topo,
                       uint32_t vertex,
                       char *buffer,
                       size_t size);
};

/* One of size bytes, without anything. NULL: ENOMEM. */
void *topo_new(size_t size,
               const struct topo_ops *ops,
               struct mapcore_error *err);
/* Hands it over where there was no error, nor one of its arena; else it is
 * destroyed. Returns which. */
int topo_settle(struct mapcore_topo **out,
                struct mapcore_topo *topo,
                int error);
/* Copies names of switches. Errors: ENOMEM, the arena's. */
void topo_name_switches(struct mapcore_topo *topo, const char *const *name);

#endif
