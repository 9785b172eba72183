/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* grid_product.h - grids as products of graphs; inside grid
 */
#ifndef MAPCORE_GRID_PRODUCT_H
#define MAPCORE_GRID_PRODUCT_H

#include "graph/csr.h"
#include "grid/grid.h"

/* A grid from the structure of the graph alone; not measured. near: weights
 * that are near each other count as equal; *out is NULL also where that makes
 * no difference.
 */
int grid_from_product(struct mapcore_grid **out,
                      const struct mapcore_graph *graph,
                      bool near,
                      uint64_t *least,
                      struct mapcore_error *err);

#endif
