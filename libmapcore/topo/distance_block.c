/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distance_block.c - many distances at once, whatever the kind of network */
#include "config.h"

#include "topo/distance_block.h"

#include "topo/ops.h"

int topo_distance_block(uint16_t *out,
                        const struct mapcore_topo *topo,
                        uint32_t n,
                        const uint32_t *host,
                        uint32_t begin,
                        uint32_t end,
                        struct mapcore_error *err)
{
    return topo->ops->distance_block(out, topo, n, host, begin, end, err);
}
