/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distances.h - rows of the distance matrix of an allocation, for inner loops
 */
#ifndef MAPCORE_MAP_ROWS_H
#define MAPCORE_MAP_ROWS_H

#include "alloc/alloc.h"

#include <stdbool.h>

/* The rows of one allocation, made when first asked for; may be used by
 * several threads at once. */
struct rows;

/* Rows of mapcore_alloc_distance, or with flat of mapcore_topo_distance_flat.
 * Borrows alloc. Errors: ENOMEM. */
int rows_create(struct rows **out,
                const struct mapcore_alloc *alloc,
                bool flat,
                struct mapcore_error *err);
void rows_destroy(struct rows *rows);

/* Distances from source to every host, [nhosts]; longer ones than 65,535
 * count as that (mappers compare with them, metrics do not). Borrowed from
 * rows, or, when no more rows are kept (640 MiB) or there is no memory, written
 * into scratch[nhosts]. */
const uint16_t *rows_get(struct rows *rows, uint32_t source, uint16_t *scratch);

#endif
