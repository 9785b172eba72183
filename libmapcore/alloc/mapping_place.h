/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_place.h - mappings made task by task, so that what is wrong is said
 * where it stands */
#ifndef MAPCORE_ALLOC_MAPPING_PLACE_H
#define MAPCORE_ALLOC_MAPPING_PLACE_H

#include "base/array.h"

struct mapcore_alloc;
struct mapcore_mapping;

/* Starts as all zero but for alloc and arena.err. */
struct mapping_maker {
    const struct mapcore_alloc *alloc; /* borrowed */
    struct arena arena;                /* of which slots are taken: */
    size_t *first;                     /* [nhosts], number of a host's slot 0 */
    uint32_t *next;       /* [nhosts], slot after the last given out */
    unsigned char *taken; /* one bit a slot */
    struct mapcore_mapping *mapping;
    size_t nhost, nslot; /* capacities */
};

/* Puts the next task where it is wanted: slot MAPCORE_NONE is the host's next.
 * Errors: EINVAL (as mapcore_mapping_create), ENOMEM. */
int mapping_put(struct mapping_maker *maker, uint32_t host, uint32_t slot);
/* Hands it over where there was no error, else ends it; returns which. */
int mapping_end(struct mapcore_mapping **out,
                struct mapping_maker *maker,
                int error);

#endif
