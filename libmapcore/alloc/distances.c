/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distances.c - rows of the distance matrix, made once and shared by all
 * threads without a lock */
#include "config.h"

#include "alloc/distances.h"

#include "base/array.h"
#include "base/budget.h"
#include "topo/distance_block.h"

#include <stdatomic.h>
#include <stdlib.h>

/* All rows of 16,384 hosts, and some of more. */
#define KEPT_BYTES ((size_t)640 << 20)
/* Rows that are made at once, which takes much less than one by one; those of
 * hosts next to each other are wanted soon. */
#define BLOCK 32

struct distances {
    const struct mapcore_alloc *alloc;
    const uint16_t *table; /* the allocation's own, or NULL */
    bool flat;
    uint32_t nhosts;
    uint32_t *host;             /* [nhosts], topology numbers */
    atomic_size_t budget;       /* blocks that may still be kept */
    _Atomic(uint16_t *) *block; /* of BLOCK rows; NULL with a table */
};

static uint32_t count_blocks(const struct distances *distances)
{
    return distances->nhosts / BLOCK + (distances->nhosts % BLOCK > 0);
}

int distances_create(struct distances **out,
                     const struct mapcore_alloc *alloc,
                     bool flat,
                     struct mapcore_error *err)
{
    struct distances *distances = array_alloc(1, sizeof(*distances), err);

    if (!distances)
        return MAPCORE_ENOMEM;
    distances->alloc = alloc;
    distances->flat = flat && mapcore_topo_is_torus(mapcore_alloc_topo(alloc));
    distances->nhosts = mapcore_alloc_nhosts(alloc);
    if (!distances->flat)
        distances->table = mapcore_alloc_distances(alloc);
    if (!distances->table) {
        distances->block = array_alloc(count_blocks(distances),
                                       sizeof(*distances->block), err);
        distances->host =
            array_alloc(distances->nhosts, sizeof(*distances->host), err);
        if (!distances->block || !distances->host) {
            distances_destroy(distances);
            return MAPCORE_ENOMEM;
        }
        for (uint32_t i = 0; i < distances->nhosts; i++)
            distances->host[i] = mapcore_alloc_host(alloc, i);
        atomic_init(&distances->budget, KEPT_BYTES / sizeof(uint16_t) / BLOCK /
                                            ((size_t)distances->nhosts + 1));
    }
    *out = distances;
    return 0;
}

void distances_destroy(struct distances *distances)
{
    if (!distances)
        return;
    for (uint32_t i = 0; distances->block && i < count_blocks(distances); i++)
        free(atomic_load(&distances->block[i]));
    free(distances->block);
    free(distances->host);
    free(distances);
}

static void fill(const struct distances *distances,
                 uint32_t source,
                 uint16_t *row)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(distances->alloc);
    uint32_t from = distances->host[source];

    for (uint32_t i = 0; i < distances->nhosts; i++) {
        uint32_t d =
            distances->flat
                ? mapcore_topo_distance_flat(topo, from, distances->host[i])
                : mapcore_topo_distance(topo, from, distances->host[i]);

        row[i] = d > UINT16_MAX ? UINT16_MAX : (uint16_t)d;
    }
}

/* Rows begin .. of a block, or NULL. */
static uint16_t *make_block(struct distances *distances, uint32_t begin)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(distances->alloc);
    uint32_t n = distances->nhosts, end = n - begin > BLOCK ? begin + BLOCK : n;
    uint16_t *block;

    if (!budget_take(&distances->budget))
        return NULL;
    block = malloc((size_t)(end - begin) * n * sizeof(*block));
    if (!block) {
        budget_give_back(&distances->budget);
        return NULL;
    }
    if (!distances->flat && mapcore_topo_diameter(topo) <= UINT16_MAX &&
        topo_distance_block(block, topo, n, distances->host, begin, end,
                            NULL) == 0)
        return block;
    for (uint32_t i = begin; i < end; i++)
        fill(distances, i, block + (size_t)(i - begin) * n);
    return block;
}

const uint16_t *distances_row(struct distances *distances,
                              uint32_t source,
                              uint16_t *scratch)
{
    uint32_t index = source / BLOCK;
    uint16_t *block, *other = NULL;

    if (distances->table)
        return distances->table + (size_t)source * distances->nhosts;
    block = atomic_load(&distances->block[index]);
    if (!block) {
        block = make_block(distances, index * BLOCK);
        if (!block) {
            fill(distances, source, scratch);
            return scratch;
        }
        if (!atomic_compare_exchange_strong(&distances->block[index], &other,
                                            block)) {
            free(block); /* another thread was faster; its rows are the same */
            budget_give_back(&distances->budget);
            block = other;
        }
    }
    return block + (size_t)(source % BLOCK) * distances->nhosts;
}
