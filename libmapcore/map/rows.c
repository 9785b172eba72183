/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* rows.c - rows of the distance matrix, made once and shared by all threads
 * without a lock */
#include "config.h"

#include "map/rows.h"

#include "base/array.h"
#include "base/room.h"

#include <stdatomic.h>
#include <stdlib.h>

#define KEPT_BYTES ((size_t)256 << 20)

struct rows {
    const struct mapcore_alloc *alloc;
    const uint16_t *table; /* the allocation's own, or NULL */
    bool flat;
    uint32_t nhosts;
    atomic_size_t room;       /* rows that may still be kept */
    _Atomic(uint16_t *) *row; /* [nhosts], or NULL with a table */
};

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
        rows->row = array_alloc(rows->nhosts, sizeof(*rows->row), err);
        if (!rows->row) {
            free(rows);
            return MAPCORE_ENOMEM;
        }
        atomic_init(&rows->room,
                    KEPT_BYTES / sizeof(uint16_t) / (rows->nhosts + 1));
    }
    *out = rows;
    return 0;
}

void rows_destroy(struct rows *rows)
{
    if (!rows)
        return;
    if (rows->row)
        for (uint32_t i = 0; i < rows->nhosts; i++)
            free(atomic_load(&rows->row[i]));
    free(rows->row);
    free(rows);
}

static void fill(const struct rows *rows, uint32_t source, uint16_t *row)
{
    const struct mapcore_alloc *alloc = rows->alloc;
    const struct mapcore_topo *topo = mapcore_alloc_topo(alloc);
    uint32_t from = mapcore_alloc_host(alloc, source);

    for (uint32_t i = 0; i < rows->nhosts; i++) {
        uint32_t d = rows->flat ? mapcore_topo_distance_flat(
                                      topo, from, mapcore_alloc_host(alloc, i))
                                : mapcore_alloc_distance(alloc, source, i);

        row[i] = d > UINT16_MAX ? UINT16_MAX : (uint16_t)d;
    }
}

/* True when one more row may be kept. */

const uint16_t *rows_get(struct rows *rows, uint32_t source, uint16_t *scratch)
{
    uint16_t *row, *other = NULL;

    if (rows->table)
        return rows->table + (size_t)source * rows->nhosts;
    row = atomic_load(&rows->row[source]);
    if (row)
        return row;
    row = room_take(&rows->room) ? malloc(rows->nhosts * sizeof(*row)) : NULL;
    if (!row) {
        fill(rows, source, scratch);
        return scratch;
    }
    fill(rows, source, row);
    if (!atomic_compare_exchange_strong(&rows->row[source], &other, row)) {
        free(row); /* another thread was faster; its row is the same */
        room_give_back(&rows->room);
        row = other;
    }
    return row;
}
