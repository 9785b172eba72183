/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric_block.c - distances between many hosts of an arbitrary network: 64
 * breadth-first searches at once, a bit each */
#include "config.h"

#include "topo/kind/fabric.h"

#include <string.h>

/* Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
 * PVLDB 8(4), 2014: MS-BFS, without its prefetching. */
struct fabric_msbfs fabric_msbfs_open(struct arena *arena,
                                      const struct fabric *fabric,
                                      const uint32_t *target,
                                      uint32_t ntargets)
{
    size_t n = fabric->base.nswitches;

    return (struct fabric_msbfs){
        .fabric = fabric,
        .seen = arena_alloc(arena, n, sizeof(uint64_t)),
        .front = arena_alloc(arena, n, sizeof(uint64_t)),
        .next = arena_alloc(arena, n, sizeof(uint64_t)),
        .target = target,
        .ntargets = ntargets,
    };
}

/* Enters the new arrivals of a step; false when there are none. *left counts
 * the pairs of source and target that have not met. */
static bool arrive(uint16_t *far,
                   struct fabric_msbfs *msbfs,
                   uint16_t step,
                   size_t *left)
{
    bool any = false;

    for (uint32_t s = 0; s < msbfs->fabric->base.nswitches; s++) {
        uint64_t fresh = msbfs->next[s] & ~msbfs->seen[s];

        msbfs->next[s] = 0;
        msbfs->front[s] = fresh;
        if (fresh == 0)
            continue;
        any = true;
        msbfs->seen[s] |= fresh;
        if (msbfs->target[s] == MAPCORE_NONE)
            continue;
        for (; fresh != 0; fresh &= fresh - 1) {
            size_t source = (size_t)__builtin_ctzll(fresh);

            far[source * msbfs->ntargets + msbfs->target[s]] = step;
            --*left;
        }
    }
    return any;
}

uint32_t fabric_msbfs_run(uint16_t *far,
                          struct fabric_msbfs *msbfs,
                          const uint32_t *source,
                          uint32_t n)
{
    const struct fabric *fabric = msbfs->fabric;
    size_t left = (size_t)n * msbfs->ntargets;
    uint16_t step = 0;

    /* Pairs that never meet: hosts may have ports in several networks. */
    for (size_t i = 0; i < left; i++)
        far[i] = FABRIC_FAR;
    memset(msbfs->seen, 0, fabric->base.nswitches * sizeof(*msbfs->seen));
    memset(msbfs->next, 0, fabric->base.nswitches * sizeof(*msbfs->next));
    for (uint32_t i = 0; i < n; i++)
        msbfs->next[source[i]] |= (uint64_t)1 << i;
    while (arrive(far, msbfs, step, &left) && left > 0 &&
           step < FABRIC_FAR - 1) {
        for (uint32_t s = 0; s < fabric->base.nswitches; s++) {
            uint64_t bits = msbfs->front[s];

            if (bits == 0)
                continue;
            for (uint32_t i = fabric->first[s]; i < fabric->first[s + 1]; i++)
                msbfs->next[fabric->next[i]] |= bits;
        }
        step++;
    }
    return step;
}

/* The switches of n hosts, numbered as they come. */
struct places {
    uint32_t *number; /* [nswitches] */
    uint32_t n;
    uint32_t *source_of; /* [nswitches], place in source, or MAPCORE_NONE */
    uint32_t source[64];
    uint32_t nsources;
};

static void places_init(struct places *places,
                        struct arena *arena,
                        const struct fabric *fabric,
                        const struct topo_rows *rows)
{
    const uint32_t nswitches = fabric->base.nswitches;

    places->number = arena_alloc(arena, nswitches, sizeof(uint32_t));
    places->source_of = arena_alloc(arena, nswitches, sizeof(uint32_t));
    if (arena->error < 0)
        return;
    memset(places->number, 0xff, nswitches * sizeof(uint32_t));
    memset(places->source_of, 0xff, nswitches * sizeof(uint32_t));
    for (uint32_t a = 0; a < rows->n; a++) {
        uint32_t h = rows->host[a];

        for (uint32_t p = fabric->port_first[h]; p < fabric->port_first[h + 1];
             p++)
            if (places->number[fabric->port[p]] == MAPCORE_NONE)
                places->number[fabric->port[p]] = places->n++;
    }
}

/* Makes the switches of a host sources; false, with nothing changed, when
 * there is no space for them. */
static bool add_sources(struct places *places,
                        const struct fabric *fabric,
                        uint32_t h)
{
    uint32_t before = places->nsources;

    for (uint32_t p = fabric->port_first[h]; p < fabric->port_first[h + 1];
         p++) {
        uint32_t s = fabric->port[p];

        if (places->source_of[s] != MAPCORE_NONE)
            continue;
        if (places->nsources == 64) {
            while (places->nsources > before)
                places->source_of[places->source[--places->nsources]] =
                    MAPCORE_NONE;
            return false;
        }
        places->source_of[s] = places->nsources;
        places->source[places->nsources++] = s;
    }
    return true;
}

/* The row of one host, out of far[64 * places->n]. */
static void fill_row(uint16_t *row,
                     const struct fabric *fabric,
                     const struct places *places,
                     const uint16_t *far,
                     const struct topo_rows *rows,
                     uint32_t a)
{
    const uint32_t n = rows->n, *host = rows->host;
    const uint32_t *first = fabric->port_first;

    for (uint32_t b = 0; b < n; b++)
        row[b] = FABRIC_FAR;
    for (uint32_t p = first[host[a]]; p < first[host[a] + 1]; p++) {
        const uint16_t *from =
            far + (size_t)places->source_of[fabric->port[p]] * places->n;
        uint32_t up = fabric->port_link[p] != MAPCORE_NONE;

        for (uint32_t b = 0; b < n; b++) {
            for (uint32_t q = first[host[b]]; q < first[host[b] + 1]; q++) {
                uint32_t d = up + from[places->number[fabric->port[q]]] +
                             (fabric->port_link[q] != MAPCORE_NONE);

                if (d < row[b])
                    row[b] = (uint16_t)d;
            }
        }
    }
    row[a] = 0;
}

int fabric_distance_block(uint16_t *out,
                          const struct mapcore_topo *topo,
                          const struct topo_rows *rows,
                          struct mapcore_error *err)
{
    const struct fabric *fabric = (const struct fabric *)(const void *)topo;
    struct arena arena = {.err = err};
    struct places places = {0};
    struct fabric_msbfs msbfs;
    uint16_t *far;

    places_init(&places, &arena, fabric, rows);
    far = arena_alloc(&arena, places.n, 64 * sizeof(*far));
    msbfs = fabric_msbfs_open(&arena, fabric, places.number, places.n);
    for (uint32_t begin = rows->begin; arena.error == 0 && begin < rows->end;) {
        uint32_t stop = begin;

        places.nsources = 0;
        while (stop < rows->end &&
               add_sources(&places, fabric, rows->host[stop]))
            stop++;
        fabric_msbfs_run(far, &msbfs, places.source, places.nsources);
        for (; begin < stop; begin++, out += rows->n)
            fill_row(out, fabric, &places, far, rows, begin);
        for (uint32_t i = 0; i < places.nsources; i++)
            places.source_of[places.source[i]] = MAPCORE_NONE;
    }
    arena_clear(&arena);
    return arena.error;
}
