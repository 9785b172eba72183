/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distances.c - rows of the distance matrix, made once and shared by all
 * threads without a lock */
#include "config.h"

#include "alloc/distances.h"

#include "base/array.h"
#include "base/room.h"
#include "topo/ops.h"

#include <stdatomic.h>
#include <stdlib.h>

/* All rows of 16,384 hosts, and some of more. */
#define KEPT_BYTES ((size_t)640 << 20)
/* Rows that are made at once, which takes much less than one by one; those of
 * hosts next to each other are wanted soon. */
#define BLOCK 32

struct rows {
    const struct mapcore_alloc *alloc;
    const uint16_t *table; /* the allocation's own, or NULL */
    bool flat;
    uint32_t nhosts;
    uint32_t *host;             /* [nhosts], topology numbers */
    atomic_size_t room;         /* blocks that may still be kept */
    _Atomic(uint16_t *) *block; /* of BLOCK rows; NULL with a table */
};

static uint32_t count_blocks(const struct rows *rows)
{
    return rows->nhosts / BLOCK + (rows->nhosts % BLOCK > 0);
}

int rows_create(struct rows **out,
                const struct mapcore_alloc *alloc,
                bool flat,
                struct mapcore_error *err)
{
    struct rows *rows = array_alloc(1, sizeof(*rows), err);

    if (!rows)
        return MAPCORE_ENOMEM;
    rows->alloc = alloc;
    rows->flat = flat && mapcore_topo_is_torus(mapcore_alloc_topo(alloc));
    rows->nhosts = mapcore_alloc_nhosts(alloc);
    if (!rows->flat)
        rows->table = mapcore_alloc_distances(alloc);
    if (!rows->table) {
        rows->block =
            array_alloc(count_blocks(rows), sizeof(*rows->block), err);
        rows->host = array_alloc(rows->nhosts, sizeof(*rows->host), err);
        if (!rows->block || !rows->host) {
            rows_destroy(rows);
            return MAPCORE_ENOMEM;
        }
        for (uint32_t i = 0; i < rows->nhosts; i++)
            rows->host[i] = mapcore_alloc_host(alloc, i);
        atomic_init(&rows->room, KEPT_BYTES / sizeof(uint16_t) / BLOCK /
                                     ((size_t)rows->nhosts + 1));
    }
    *out = rows;
    return 0;
}

void rows_destroy(struct rows *rows)
{
    if (!rows)
        return;
    for (uint32_t i = 0; rows->block && i < count_blocks(rows); i++)
        free(atomic_load(&rows->block[i]));
    free(rows->block);
    free(rows->host);
    free(rows);
}

static void fill(const struct rows *rows, uint32_t source, uint16_t *row)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(rows->alloc);
    uint32_t from = rows->host[source];

    for (uint32_t i = 0; i < rows->nhosts; i++) {
        uint32_t d = rows->flat
                         ? mapcore_topo_distance_flat(topo, from, rows->host[i])
                         : mapcore_topo_distance(topo, from, rows->host[i]);

        row[i] = d > UINT16_MAX ? UINT16_MAX : (uint16_t)d;
    }
}

/* True when one more block may be kept. */
static bool take_room(struct rows *rows)
{
    size_t room = atomic_load(&rows->room);

    while (room > 0)
        if (atomic_compare_exchange_weak(&rows->room, &room, room - 1))
            return true;
    return false;
}

/* Rows begin .. of a block, or NULL. */
static uint16_t *make_block(struct rows *rows, uint32_t begin)
{
    const struct mapcore_topo *topo = mapcore_alloc_topo(rows->alloc);
    uint32_t n = rows->nhosts, end = n - begin > BLOCK ? begin + BLOCK : n;
    uint16_t *block;

    if (!take_room(rows))
        return NULL;
    block = malloc((size_t)(end - begin) * n * sizeof(*block));
    if (!block)
        return NULL;
    if (!rows->flat && mapcore_topo_diameter(topo) <= UINT16_MAX &&
        topo_distance_table(block, topo, n, rows->host, begin, end, NULL) == 0)
        return block;
    for (uint32_t i = begin; i < end; i++)
        fill(rows, i, block + (size_t)(i - begin) * n);
    return block;
}

const uint16_t *rows_get(struct rows *rows, uint32_t source, uint16_t *scratch)
{
    uint32_t index = source / BLOCK;
    uint16_t *block, *other = NULL;

    if (rows->table)
        return rows->table + (size_t)source * rows->nhosts;
    block = atomic_load(&rows->block[index]);
    if (!block) {
        block = make_block(rows, index * BLOCK);
        if (!block) {
            fill(rows, source, scratch);
            return scratch;
        }
        if (!atomic_compare_exchange_strong(&rows->block[index], &other,
                                            block)) {
            free(block); /* another thread was faster; its rows are the same */
            atomic_fetch_add(&rows->room, 1);
            block = other;
        }
    }
    return block + (size_t)(source % BLOCK) * rows->nhosts;
}
