/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* topo.h - the network: hosts, distances in links, routes */
#ifndef MAPCORE_TOPO_TOPO_H
#define MAPCORE_TOPO_TOPO_H

#include "base/error.h"

#include <stdbool.h>
#include <stdio.h>

/* A network of hosts 0 .. nhosts-1, immutable. */
struct mapcore_topo;

/* An N-dimensional torus or mesh of routers. Host numbers: the routers with
 * the first dimension fastest, all hosts of a router in a row, absent routers
 * skipped. An absent router carries no hosts but still forwards (Cray's
 * service nodes). */
struct mapcore_torus {
    uint32_t ndims;
    const uint32_t *dims;      /* [ndims], each >= 1 */
    const bool *wraps;         /* [ndims], or NULL: all dimensions wrap */
    uint32_t hosts_per_router; /* >= 1; not used when coordinates is set */
    size_t nabsent;
    const uint32_t *absent;      /* [nabsent * ndims], coordinates */
    uint32_t nhosts;             /* only with coordinates */
    const uint32_t *coordinates; /* [nhosts * ndims]: router of each host, or
                                    NULL for the regular numbering */
    const char *const *names;    /* [nhosts], or NULL: hosts have no names */
    const double *capacity;      /* [ndims], of a link in each dimension, each
                                    direction; NULL: not known, or 1 where along
                                    says it of others */
    /* [ndims], or NULL: all links of a dimension are alike. along[i] is NULL,
     * too, or [dims[i]], instead of capacity[i]: of the link from each position
     * in dimension i to the next, the last one's round the end. */
    const double *const *along;
};

/* Nothing of spec is kept. Errors: EINVAL, ERANGE (more than 2^31 links),
 * ENOMEM. */
MAPCORE_API int mapcore_topo_create_torus(struct mapcore_topo **out,
                                          const struct mapcore_torus *spec,
                                          struct mapcore_error *err);

/* A regular tree: arity[0] subtrees at the root, ..., arity[nlevels-1] hosts
 * a leaf switch; hosts are numbered leaf by leaf. names: [product] or NULL.
 * One level is a flat network: one switch. Below a switch of level i every
 * child hangs at cables[i] parallel cables of capacity[i] each, in each
 * direction. Parallel cables are one link of their joint capacity: what crosses
 * it is taken to spread evenly over them. Either may be NULL: one cable;
 * capacity not known. Errors: EINVAL (also 0 cables, a capacity that is no
 * positive number), ERANGE, ENOMEM. */
MAPCORE_API int mapcore_topo_create_fat_tree(struct mapcore_topo **out,
                                             uint32_t nlevels,
                                             const uint32_t *arity,
                                             const uint32_t *cables,
                                             const double *capacity,
                                             const char *const *names,
                                             struct mapcore_error *err);

/* What a person types, mapcore-topology(5): torus:16x8x16, torus:23x24x24/2
 * (two hosts a router), torus:8x8x4:wrap=1x1x0:capacity=2x1x2,
 * torus:8x8x8:capacity.y=8,1 (by position), mesh:8x8, ring:16, hypercube:10,
 * tree:8,16,8 (arity per level from the root),
 * tree:8,16,8:capacity=4,2,1:uplinks=2,2,1, flat:N, dragonfly:9,4,2 (groups,
 * routers a group, hosts a router), or a file, whose form its first token
 * names: a line like the ones above followed by lines `host NAME X Y Z`, `hosts
 * LIST` or `absent X Y Z` (`#` comments); a list of links; Slurm's switches in
 * topology.conf, also as scontrol prints them. A site file (JSON), and files of
 * other tools, which `topomap topology links' writes as a list of links, are
 * the business of the caller. Errors: EINVAL, EPARSE, EIO, ERANGE, ENOMEM;
 * ENOTSUP (such a file). */
MAPCORE_API int mapcore_topo_open(struct mapcore_topo **out,
                                  const char *spec,
                                  struct mapcore_error *err);

/* Writes any network in the form of a list of links, mapcore-topology(5), from
 * which it can be read again. Hosts without names are called h0, h1, ...
 * Errors: EIO. */
MAPCORE_API int mapcore_topo_write_links(const struct mapcore_topo *topo,
                                         FILE *file,
                                         struct mapcore_error *err);

MAPCORE_API void mapcore_topo_destroy(struct mapcore_topo *topo);

/* "torus 16x8x16, 2 hosts a router", "tree of 3 switches, 8 hosts"; borrowed
 * from the topology. */
MAPCORE_API const char *mapcore_topo_describe(const struct mapcore_topo *topo);
MAPCORE_API bool mapcore_topo_is_torus(const struct mapcore_topo *topo);

MAPCORE_API uint32_t mapcore_topo_nhosts(const struct mapcore_topo *topo);
/* Borrowed; NULL when hosts have no names. */
MAPCORE_API const char *mapcore_topo_host_name(const struct mapcore_topo *topo,
                                               uint32_t host);
/* Where it sits: the coordinates of its router, "(3,4,5)", or the switch it is
 * at or has its first cable to, "s0"; like snprintf. */
MAPCORE_API int mapcore_topo_host_place(const struct mapcore_topo *topo,
                                        uint32_t host,
                                        char *buffer,
                                        size_t size);
/* Finds a host by name, or on a torus by coordinates ("3 4 5" or "3,4,5"; the
 * first host there, `3,4,5/1` the second), or by number where hosts have no
 * names; a name with a domain that is not there as it is, by its first part,
 * and one without, by the first parts of those there. Errors: ENOENT; EINVAL
 * (the first part of several). O(1) expected by name. */
MAPCORE_API int mapcore_topo_find_host(uint32_t *out,
                                       const struct mapcore_topo *topo,
                                       const char *name,
                                       struct mapcore_error *err);

/* Network interfaces of a node, 1 unless the description says rails. Interface
 * r of all nodes at a leaf switch is at a switch of its own then, and that leaf
 * switch and its link up are all of these together: mapcore_alloc_by_rail. */
MAPCORE_API uint32_t mapcore_topo_rails(const struct mapcore_topo *topo);

/* Network links on a shortest path: torus, the sum over dimensions; tree, the
 * links up to the common switch and down again; 0 for two hosts of one
 * router. A metric except that different hosts may be at distance 0. */
MAPCORE_API uint32_t mapcore_topo_distance(const struct mapcore_topo *topo,
                                           uint32_t a,
                                           uint32_t b);
/* The same as if no dimension wrapped (Torus_Wrap = false of ICS'17 section
 * 4.5: how nodes are explored, not what a message costs). */
MAPCORE_API uint32_t mapcore_topo_distance_flat(const struct mapcore_topo *topo,
                                                uint32_t a,
                                                uint32_t b);

/* Links are numbered 0 .. nlinks-1: on a torus one number a direction, on a
 * tree one number a cable, both directions together. */
MAPCORE_API uint32_t mapcore_topo_nlinks(const struct mapcore_topo *topo);
/* Directions that share one link number: 2 on a tree, else 1. What routes put
 * on a link, divided by this, is what each direction carries, since half of an
 * edge's bytes goes each way and a tree's routes there and back are the same
 * cables. */
MAPCORE_API uint32_t
mapcore_topo_link_directions(const struct mapcore_topo *topo);
/* What each direction of a link carries in a unit of time, > 0 and finite: in
 * bytes per second or relative to other links, as the description has it. Where
 * it says nothing: 1, and in a dragonfly what Aries has, relative to a link
 * between groups: 2.17 to a host, 1.12 inside a group. Bytes of a direction /
 * capacity is the link's time. */
MAPCORE_API double mapcore_topo_link_capacity(const struct mapcore_topo *topo,
                                              uint32_t link);
/* Whether the description states any capacity. */
MAPCORE_API bool mapcore_topo_has_capacities(const struct mapcore_topo *topo);
/* The longest route there is, or, for large networks of links, a bound of
 * it. */
MAPCORE_API uint32_t mapcore_topo_diameter(const struct mapcore_topo *topo);
/* Writes the links from a to b into links[diameter] in order and returns
 * their number, which is the distance. Torus: dimension by dimension from the
 * first, the shorter way round, half-ring ties in the positive direction where
 * b is even, of a second tie where b / 2 is, and so on (where loads count half
 * each way: MAPCORE_ROUTES_STATIC); tree: up, then down. */
MAPCORE_API uint32_t mapcore_topo_route(const struct mapcore_topo *topo,
                                        uint32_t a,
                                        uint32_t b,
                                        uint32_t *links);
/* A name for a person: "(3,4,5) +x", "s0 - s2", "n3 - s0"; like snprintf. */
MAPCORE_API int mapcore_topo_link_name(const struct mapcore_topo *topo,
                                       uint32_t link,
                                       char *buffer,
                                       size_t size);

#endif
