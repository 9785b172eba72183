/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distance_block.h - many distances at once, which takes much less than one by
 * one */
#ifndef MAPCORE_TOPO_DISTANCE_BLOCK_H
#define MAPCORE_TOPO_DISTANCE_BLOCK_H

#include "base/error.h"

#include <stdint.h>

struct mapcore_topo;

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
