/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* mapping_place.h - mappings out of places that somebody has written down:
 * what is wrong is said of one task */
#ifndef MAPCORE_ALLOC_MAPPING_PLACE_H
#define MAPCORE_ALLOC_MAPPING_PLACE_H

#include "base/error.h"

struct mapcore_alloc;
struct mapcore_mapping;

/* Of each task, [ntasks]: its host, and its slot; MAPCORE_NONE, or all NULL:
 * the next free one. */
struct mapcore_mapping_places {
    uint32_t ntasks;
    const uint32_t *host, *slot;
};

/* As mapcore_mapping_create (in mapping.c); after EINVAL *task is the one that
 * is wrong. */
int mapping_place(struct mapcore_mapping **out,
                  uint32_t *task,
                  const struct mapcore_alloc *alloc,
                  const struct mapcore_mapping_places *places,
                  struct mapcore_error *err);

#endif
