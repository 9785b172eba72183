/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distance_block.c - many distances at once, whatever the kind of network */
#include "config.h"

#include "topo/distance_block.h"

#include "topo/ops.h"

int topo_distance_block(uint16_t *out,
                        const struct mapcore_topo *topo,
                        const struct topo_rows *rows,
                        struct mapcore_error *err)
{
    return topo->ops->distance_block(out, topo, rows, err);
}
