/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shape.h - what a mapper may know of how a network is built: read-only, and
 * borrowed from the topology */
#ifndef MAPCORE_TOPO_SHAPE_H
#define MAPCORE_TOPO_SHAPE_H

#include <stdbool.h>
#include <stdint.h>

struct mapcore_topo;

enum topo_kind {
    TOPO_TORUS, /* torus or mesh */
    TOPO_TREE,  /* a flat network is one switch */
    TOPO_DRAGONFLY,
    TOPO_LAYERS, /* no tree, but with the distances of one, nearly */
    TOPO_OTHER,  /* nothing is known but distances and routes */
};

/* Hosts are those of the topology; an allocation has any of them, in any
 * order (mapcore_alloc_host). */
struct topo_shape {
    enum topo_kind kind;

    /* TOPO_TORUS. Router at x[ndims]: the sum of x[i] * stride[i]. Its link in
     * dimension i: (router * ndims + i) * 2, + 1 for the negative
     * direction; holes (absent routers) have links all the same. */
    uint32_t ndims;
    const uint32_t *dims;        /* [ndims] */
    const uint32_t *ring;        /* [ndims], dims[i] where dimension i wraps,
                                    UINT32_MAX where it does not */
    const uint32_t *stride;      /* [ndims] */
    const double *capacity;      /* [ndims], of a link in each dimension, the
                                    least where they differ */
    double *const *along;        /* [ndims], NULL: they do not, or
                                    [dims[i]]: of the link from each position to
                                    the next, the last one's round the end */
    const uint32_t *coordinates; /* [nhosts * ndims], router of each host */

    /* TOPO_TREE, and a TOPO_DRAGONFLY as a tree of a root, its groups and their
     * routers, or TOPO_LAYERS as one of those parts that lie nearer together,
     * whose links are other ones. On a tree the cable of host h is
     * link h, that above switch s > 0 is link nhosts + s - 1;
     * mapcore_topo_link_capacity knows what they carry. */
    uint32_t nswitches;
    const uint32_t *parent; /* [nswitches], parent[s] < s; MAPCORE_NONE for the
                               root, which is switch 0 */
    const uint32_t *depth;  /* [nswitches], 0 for the root */
    const uint32_t *leaf;   /* [nhosts], switch of each host */

    /* TOPO_LAYERS: what all links that lead out of a switch's part carry
     * together, INFINITY for the root, and those of a host. */
    const double *up;   /* [nswitches] */
    const double *down; /* [nhosts] */

    /* TOPO_DRAGONFLY: host h is at router h / nper, router r in group r /
     * nrouters. */
    uint32_t ngroups, nrouters, nper;
};

/* Whether both ways from x to y along a dimension of a torus are equally
 * long. */
static inline bool topo_ring_is_tied(uint32_t x, uint32_t y, uint32_t ring)
{
    return 2 * (y > x ? y - x : x - y) == ring;
}

/* Which way mapcore_topo_route goes from x to another y along a dimension of a
 * torus: the shorter, ties positive. */
static inline bool topo_ring_goes_up(uint32_t x, uint32_t y, uint32_t ring)
{
    if (ring == UINT32_MAX)
        return y > x;
    uint32_t ahead = y >= x ? y - x : ring - (x - y);
    return ahead <= ring - ahead;
}

/* O(1). What the kind does not have is NULL or 0. */
void topo_shape(struct topo_shape *out, const struct mapcore_topo *topo);

#endif
