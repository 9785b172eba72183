/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distances.h - the distances between the hosts of an allocation, row by row,
 * for inner loops: the only place where they are kept */
#ifndef MAPCORE_ALLOC_DISTANCES_H
#define MAPCORE_ALLOC_DISTANCES_H

#include "base/array.h"

#include <stdbool.h>

struct mapcore_alloc;
struct mapcore_topo;

/* Rows are made when first asked for, 32 at once, and kept while all of them
 * take no more than 640 MiB (those of 16,384 hosts fit). May be used by several
 * threads at once. */
struct distances;

/* Those of an allocation, which owns them: true ones, and those that would be
 * if nothing wrapped (mapcore_topo_distance_flat), which are the same object
 * where nothing does. */
struct distances *alloc_distances(const struct mapcore_alloc *alloc);
struct distances *alloc_distances_no_wrap(const struct mapcore_alloc *alloc);

/* Distances from source to every host, [nhosts]; longer ones than 65,535
 * count as that (mappers compare with them, metrics do not). Borrowed from
 * distances, or, when no more rows are kept or there is no memory, written into
 * scratch[nhosts]. */
const uint16_t *distances_row(struct distances *distances,
                              uint32_t source,
                              uint16_t *scratch);

/* The same, exact, where that row is made already or all rows are worth making
 * (up to 8,192 hosts); else NULL. */
const uint16_t *distances_find_row(struct distances *distances,
                                   uint32_t source);

/* One distance, exact; O(1) from such a row, else as the network has it. */
uint32_t distances_between(struct distances *distances, uint32_t a, uint32_t b);

/* For the allocation: the arena's, but for rows, which distances_close ends.
 * Borrows topo and host[nhosts], topology numbers. NULL: ENOMEM. */
struct distances *distances_open(struct arena *arena,
                                 const struct mapcore_topo *topo,
                                 uint32_t nhosts,
                                 const uint32_t *host,
                                 bool wraps);
void distances_close(struct distances *distances);

#endif
