/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* shape.c - how a network is built, whatever its kind */
#include "config.h"

#include "topo/shape.h"

#include "topo/ops.h"

void topo_shape(struct topo_shape *out, const struct mapcore_topo *topo)
{
    *out = (struct topo_shape){.kind = TOPO_OTHER};
    if (topo->ops->shape)
        topo->ops->shape(out, topo);
}
