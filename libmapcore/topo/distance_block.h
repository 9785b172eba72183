/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distance_block.h - many distances at once, which takes much less than one by
 * one */
#ifndef MAPCORE_TOPO_DISTANCE_BLOCK_H
#define MAPCORE_TOPO_DISTANCE_BLOCK_H

#include "base/error.h"

struct mapcore_topo;

/* Every distance from hosts host[begin] .. host[end - 1] to each of the n, into
 * out[(end - begin) * n]. The diameter must fit 16 bits. Errors: ENOMEM. */
int topo_distance_block(uint16_t *out,
                        const struct mapcore_topo *topo,
                        uint32_t n,
                        const uint32_t *host,
                        uint32_t begin,
                        uint32_t end,
                        struct mapcore_error *err);

#endif
