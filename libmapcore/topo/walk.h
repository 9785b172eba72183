/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* walk.h - a network as a directed graph: its vertices, the ends of its links,
 * and the next hops of minimal routes; and many distances at once, which takes
 * much less than one by one */
#ifndef MAPCORE_TOPO_WALK_H
#define MAPCORE_TOPO_WALK_H

#include "base/error.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mapcore_topo;

/* Vertices: host h is h, switch (or router) s is nhosts + s. Hosts, vertices
 * and links must be in range. */

uint32_t topo_nswitches(const struct mapcore_topo *topo);

/* Name of any vertex; like snprintf. */
int topo_vertex_name(const struct mapcore_topo *topo,
                     uint32_t vertex,
                     char *buffer,
                     size_t size);

/* The switch that a host is at or has its first cable to. */
uint32_t topo_host_vertex(const struct mapcore_topo *topo, uint32_t host);
/* Whether a host is at that switch itself, without a link of its own. */
bool topo_is_attached(const struct mapcore_topo *topo, uint32_t host);

/* How many hosts in a row are interfaces of one node: of the network by rail,
 * else 1. */
uint32_t topo_interfaces(const struct mapcore_topo *topo);
/* Whether hosts, of the network or of an allocation in it, are of one node. */
static inline bool topo_is_one_node(uint32_t interfaces, uint32_t a, uint32_t b)
{
    return a == b || (interfaces > 1 && a / interfaces == b / interfaces);
}

/* The ends of a link in its direction (on a tree, whose links have both, the
 * lower end first); false where there is no cable (the edge of a mesh). */
bool topo_link_ends(const struct mapcore_topo *topo,
                    uint32_t link,
                    uint32_t end[2]);

/* The links from a vertex that lie on minimal routes to host b, and the
 * vertices behind them, into link and to[topo_max_next_hops]. Returns how many;
 * 0 when nothing is left to go. */
uint32_t topo_next_hops(const struct mapcore_topo *topo,
                        uint32_t vertex,
                        uint32_t b,
                        uint32_t *link,
                        uint32_t *to);
uint32_t topo_max_next_hops(const struct mapcore_topo *topo);

/* The links that carry what host a sends to b by static routes, into links[2 *
 * diameter]; returns how many. The first *whole of them carry all of it, in the
 * order of mapcore_topo_route. Each of the others carries half of it: where
 * both ways round a ring of a torus are equally long, half goes each way. */
uint32_t topo_split_route(const struct mapcore_topo *topo,
                          uint32_t a,
                          uint32_t b,
                          uint32_t *links,
                          uint32_t *whole);

/* How many parallel cables a link is: those of a tree, by its capacity over
 * that of the first host's link, up to TOPO_MOST_CABLES; any other is one. The
 * second: the most of any link. */
enum { TOPO_MOST_CABLES = 16 };
uint32_t topo_cables(const struct mapcore_topo *topo, uint32_t link);
uint32_t topo_most_cables(const struct mapcore_topo *topo);

/* Rows of a table of n hosts: those of host[begin] .. host[end - 1]. */
struct topo_rows {
    uint32_t n;
    const uint32_t *host;
    uint32_t begin, end;
};

/* Every distance from the hosts of these rows to each of the n, into
 * out[(end - begin) * n]. The diameter must fit 16 bits. Errors: ENOMEM. */
int topo_distance_block(uint16_t *out,
                        const struct mapcore_topo *topo,
                        const struct topo_rows *rows,
                        struct mapcore_error *err);

#endif
