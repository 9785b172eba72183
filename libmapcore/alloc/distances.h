/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distances.h - rows of the distance matrix of an allocation, for inner loops
 */
#ifndef MAPCORE_ALLOC_DISTANCES_H
#define MAPCORE_ALLOC_DISTANCES_H

#include "alloc/alloc.h"

#include <stdbool.h>

/* The rows of one allocation, made when first asked for; may be used by
 * several threads at once. */
struct distances;

/* Rows of mapcore_alloc_distance, or with flat of mapcore_topo_distance_flat.
 * Borrows alloc. Errors: ENOMEM. */
int distances_create(struct distances **out,
                     const struct mapcore_alloc *alloc,
                     bool flat,
                     struct mapcore_error *err);
void distances_destroy(struct distances *distances);

/* Distances from source to every host, [nhosts]; longer ones than 65,535
 * count as that (mappers compare with them, metrics do not). Borrowed from
 * distances, or, when no more rows are kept (640 MiB) or there is no memory,
 * written into scratch[nhosts]. */
const uint16_t *distances_row(struct distances *distances,
                              uint32_t source,
                              uint16_t *scratch);

#endif
