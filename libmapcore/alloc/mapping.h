/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping.h - a place for every task: host of the allocation and slot in it */
#ifndef MAPCORE_ALLOC_MAPPING_H
#define MAPCORE_ALLOC_MAPPING_H

#include "alloc/alloc.h"

#include <stdio.h>

/* S : V_t -> P of ICS'17 section 3.1, injective. Read the arrays, never
 * write them. */
struct mapcore_mapping {
    uint32_t ntasks;
    uint32_t *host; /* [ntasks], index into the allocation */
    uint32_t *slot; /* [ntasks], 0 .. slots of that host - 1, in the depth-
                       first order of the host's hardware tree */
};

/* Copies host[ntasks] and slot[ntasks]; slot NULL numbers the tasks of each
 * host in ascending order. Errors: EINVAL (a host or slot that is not there,
 * taken twice, more tasks than slots), ENOMEM. */
MAPCORE_API int mapcore_mapping_create(struct mapcore_mapping **out,
                                       const struct mapcore_alloc *alloc,
                                       uint32_t ntasks,
                                       const uint32_t *host,
                                       const uint32_t *slot,
                                       struct mapcore_error *err);
MAPCORE_API void mapcore_mapping_destroy(struct mapcore_mapping *mapping);

/* Slurm's --distribution=block: hosts filled one after the other. */
MAPCORE_API int mapcore_mapping_block(struct mapcore_mapping **out,
                                      const struct mapcore_alloc *alloc,
                                      uint32_t ntasks,
                                      struct mapcore_error *err);
/* Slurm's --distribution=cyclic: one task a host in turn, full hosts
 * skipped. */
MAPCORE_API int mapcore_mapping_cyclic(struct mapcore_mapping **out,
                                       const struct mapcore_alloc *alloc,
                                       uint32_t ntasks,
                                       struct mapcore_error *err);

/* Where tasks are in the network that they use, which is mapcore_alloc_by_rail:
 * what links carry, and how long that takes, is that of these. alloc and
 * mapping are borrowed until it is closed, also after a failure. Errors:
 * ENOMEM. */
struct mapcore_places {
    const struct mapcore_alloc *alloc;
    const uint32_t *host; /* [ntasks], without rails those of the mapping */
    uint32_t *own;
};
MAPCORE_API int mapcore_places_open(struct mapcore_places *out,
                                    const struct mapcore_alloc *alloc,
                                    const struct mapcore_mapping *mapping,
                                    struct mapcore_error *err);
MAPCORE_API void mapcore_places_close(struct mapcore_places *places);

MAPCORE_API int mapcore_mapping_write(const struct mapcore_mapping *mapping,
                                      FILE *file,
                                      struct mapcore_error *err);

#endif
