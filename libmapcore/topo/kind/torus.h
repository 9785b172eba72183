/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* torus.h - the inside of a torus, between its making and its use */
#ifndef MAPCORE_TOPO_TORUS_H
#define MAPCORE_TOPO_TORUS_H

#include "topo/ops.h"

/* One letter a dimension. With 2^31 links there is no use for more: 25
 * dimensions of two routers are the limit. */
enum { TORUS_MAX_DIMS = 26 };

struct torus {
    struct mapcore_topo base;
    uint32_t ndims;
    bool is_regular; /* hosts are in the order of their routers */
    uint32_t dims[TORUS_MAX_DIMS];
    /* dims, or UINT32_MAX where nothing wraps: the way round is never shorter
     * then */
    uint32_t ring[TORUS_MAX_DIMS];
    uint32_t stride[TORUS_MAX_DIMS]; /* to the next router in a dimension */
    double capacity[TORUS_MAX_DIMS]; /* of a link in a dimension, the least */
    double *along[TORUS_MAX_DIMS];   /* NULL: all are alike, or [dims[i]], from
                                        each position on */
    uint32_t *coordinates;           /* [nhosts * ndims] */
};

extern const struct topo_ops torus_ops;

#endif
