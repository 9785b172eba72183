/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_product.c - a grid found in the structure alone */
#include "config.h"
#include "graph/grid_parts.h"
int grid_from_product(struct mapcore_grid **out,
                      const struct mapcore_graph *graph,
                      struct mapcore_error *err)
{
    (void)graph;
    (void)err;
    *out = NULL;
    return 0;
}
