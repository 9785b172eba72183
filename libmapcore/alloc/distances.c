/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* distances.c - rows of the distance matrix, made once and shared by all
 * threads without a lock */
#include "config.h"

#include "alloc/distances.h"

#include "base/budget.h"
#include "topo/topo.h"
#include "topo/walk.h"

#include <stdatomic.h>
#include <stdlib.h>

/* All rows of 16,384 hosts, and some of more. */
#define KEPT_BYTES ((size_t)640 << 20)
enum {
    /* Rows that are made at once, which takes much less than one by one; those
     * of hosts next to each other are wanted soon. */
    BLOCK = 32,
    /* Hosts for which a single distance is reason enough to make rows: 128 MB
     * of them at most. */
    WHOLE = 8192,
};

struct distances {
    const struct mapcore_topo *topo;
    uint32_t nhosts;
    const uint32_t *host; /* [nhosts] */
    bool wraps;
    bool is_exact;              /* every distance fits 16 bits */
    atomic_size_t budget;       /* blocks that may still be kept */
    _Atomic(uint16_t *) *block; /* of BLOCK rows; elements NULL: not made */
};

static uint32_t count_blocks(const struct distances *distances)
{
    return distances->nhosts / BLOCK + (distances->nhosts % BLOCK > 0);
}

struct distances *distances_open(struct arena *arena,
                                 const struct mapcore_topo *topo,
                                 uint32_t nhosts,
                                 const uint32_t *host,
                                 bool wraps)
{
    struct distances *distances = arena_alloc(arena, 1, sizeof(*distances));

    if (!distances)
        return NULL;
    distances->topo = topo;
    distances->nhosts = nhosts;
    distances->host = host;
    distances->wraps = wraps;
    distances->is_exact = wraps && mapcore_topo_diameter(topo) <= UINT16_MAX;
    atomic_init(&distances->budget,
                KEPT_BYTES / sizeof(uint16_t) / BLOCK / ((size_t)nhosts + 1));
    distances->block =
        arena_alloc(arena, count_blocks(distances), sizeof(*distances->block));
    return distances;
}

void distances_close(struct distances *distances)
{
    for (uint32_t i = 0;
         distances && distances->block && i < count_blocks(distances); i++)
        free(atomic_load(&distances->block[i]));
}

static uint32_t one(const struct distances *distances, uint32_t a, uint32_t b)
{
    uint32_t from = distances->host[a], to = distances->host[b];

    return distances->wraps
               ? mapcore_topo_distance(distances->topo, from, to)
               : mapcore_topo_distance_flat(distances->topo, from, to);
}

static void fill(const struct distances *distances,
                 uint32_t source,
                 uint16_t *row)
{
    for (uint32_t i = 0; i < distances->nhosts; i++) {
        /* All to one: a network of links searches from there. */
        uint32_t d = one(distances, i, source);

        row[i] = d > UINT16_MAX ? UINT16_MAX : (uint16_t)d;
    }
}

/* Rows begin .. of a block, or NULL. */
static uint16_t *make_block(struct distances *distances, uint32_t begin)
{
    uint32_t n = distances->nhosts, end = n - begin > BLOCK ? begin + BLOCK : n;
    uint16_t *block;

    if (!budget_take(&distances->budget))
        return NULL;
    block = malloc((size_t)(end - begin) * n * sizeof(*block));
    if (!block) {
        budget_give_back(&distances->budget);
        return NULL;
    }
    if (distances->is_exact &&
        topo_distance_block(block, distances->topo,
                            &(struct topo_rows){n, distances->host, begin, end},
                            NULL) == 0)
        return block;
    for (uint32_t i = begin; i < end; i++)
        fill(distances, i, block + (size_t)(i - begin) * n);
    return block;
}

/* The row of a host in a block, which is made if need be; NULL: it cannot be
 * kept. */
static const uint16_t *make_row(struct distances *distances, uint32_t source)
{
    _Atomic(uint16_t *) *at = &distances->block[source / BLOCK];
    uint16_t *block = atomic_load(at), *other = NULL;

    if (!block) {
        block = make_block(distances, source - source % BLOCK);
        if (!block)
            return NULL;
        if (!atomic_compare_exchange_strong(at, &other, block)) {
            free(block); /* another thread was faster; its rows are the same */
            budget_give_back(&distances->budget);
            block = other;
        }
    }
    return block + (size_t)(source % BLOCK) * distances->nhosts;
}

const uint16_t *distances_row(struct distances *distances,
                              uint32_t source,
                              uint16_t *scratch)
{
    const uint16_t *row = make_row(distances, source);

    if (row)
        return row;
    fill(distances, source, scratch);
    return scratch;
}

const uint16_t *distances_find_row(struct distances *distances, uint32_t source)
{
    const uint16_t *block = atomic_load_explicit(
        &distances->block[source / BLOCK], memory_order_acquire);

    if (!distances->is_exact)
        return NULL;
    if (block)
        return block + (size_t)(source % BLOCK) * distances->nhosts;
    return distances->nhosts <= WHOLE ? make_row(distances, source) : NULL;
}

uint32_t distances_between(struct distances *distances, uint32_t a, uint32_t b)
{
    const uint16_t *row = distances_find_row(distances, a);

    return row ? row[b] : one(distances, a, b);
}
