/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* fabric_block.c - distances between many hosts of an arbitrary network: 64
 * breadth-first searches at once, a bit each */
#include "config.h"

#include "topo/kind/fabric.h"

#include <string.h>

/* The switches of n hosts, numbered as they come, and searches from 64 of them.
 */
struct places {
    const struct fabric *fabric;
    uint32_t *number; /* [nswitches], of those of hosts, others MAPCORE_NONE */
    uint32_t n;
    uint32_t *source_of; /* [nswitches], place in source, or MAPCORE_NONE */
    uint32_t source[64];
    uint32_t nsources;
    uint64_t *seen, *front, *next; /* [nswitches], a bit a source */
    uint16_t *far; /* [64 * n], from source, FABRIC_FAR where there is no way */
};

/* Enters the new arrivals of a step; false when there are none. *left counts
 * the pairs of source and target that have not met. */
static bool arrive(struct places *places, uint16_t step, size_t *left)
{
    bool any = false;

    for (uint32_t s = 0; s < places->fabric->base.nswitches; s++) {
        uint64_t fresh = places->next[s] & ~places->seen[s];

        places->next[s] = 0;
        places->front[s] = fresh;
        if (fresh == 0)
            continue;
        any = true;
        places->seen[s] |= fresh;
        if (places->number[s] == MAPCORE_NONE)
            continue;
        for (; fresh != 0; fresh &= fresh - 1) {
            size_t source = (size_t)__builtin_ctzll(fresh);

            places->far[source * places->n + places->number[s]] = step;
            --*left;
        }
    }
    return any;
}

/* Then et al., "The More the Merrier: Efficient Multi-Source Graph Traversal",
 * PVLDB 8(4), 2014: MS-BFS, without its prefetching. */
static void search(struct places *places)
{
    const struct fabric *fabric = places->fabric;
    const size_t nswitches = fabric->base.nswitches;
    size_t left = (size_t)places->nsources * places->n;
    uint16_t step = 0;

    /* Pairs that never meet: hosts may have ports in several networks. */
    for (size_t i = 0; i < left; i++)
        places->far[i] = FABRIC_FAR;
    memset(places->seen, 0, nswitches * sizeof(*places->seen));
    memset(places->next, 0, nswitches * sizeof(*places->next));
    for (uint32_t i = 0; i < places->nsources; i++)
        places->next[places->source[i]] |= (uint64_t)1 << i;
    while (arrive(places, step, &left) && left > 0 && step < FABRIC_FAR - 1) {
        for (uint32_t s = 0; s < nswitches; s++) {
            uint64_t bits = places->front[s];

            if (bits == 0)
                continue;
            for (uint32_t i = fabric->first[s]; i < fabric->first[s + 1]; i++)
                places->next[fabric->next[i]] |= bits;
        }
        step++;
    }
}

static void places_init(struct places *places,
                        struct arena *arena,
                        const struct topo_rows *rows)
{
    const struct fabric *fabric = places->fabric;
    const uint32_t nswitches = fabric->base.nswitches;

    places->seen = arena_alloc(arena, nswitches, sizeof(uint64_t));
    places->front = arena_alloc(arena, nswitches, sizeof(uint64_t));
    places->next = arena_alloc(arena, nswitches, sizeof(uint64_t));
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
    places->far = arena_alloc(arena, places->n, 64 * sizeof(*places->far));
}

/* Makes the switches of a host sources; false, with nothing changed, when
 * there is no space for them. */
static bool add_sources(struct places *places, uint32_t h)
{
    const struct fabric *fabric = places->fabric;
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

/* The row of one host. */
static void fill_row(uint16_t *row,
                     const struct places *places,
                     const struct topo_rows *rows,
                     uint32_t a,
                     bool has_cables)
{
    const struct fabric *fabric = places->fabric;
    const uint32_t n = rows->n, *host = rows->host;
    const uint32_t *first = fabric->port_first;

    for (uint32_t b = 0; b < n; b++)
        row[b] = FABRIC_FAR;
    for (uint32_t p = first[host[a]]; p < first[host[a] + 1]; p++) {
        const uint16_t *from =
            places->far +
            (size_t)places->source_of[fabric->port[p]] * places->n;
        uint32_t up = has_cables && fabric->port_link[p] != MAPCORE_NONE;

        for (uint32_t b = 0; b < n; b++) {
            for (uint32_t q = first[host[b]]; q < first[host[b] + 1]; q++) {
                uint32_t d =
                    up + from[places->number[fabric->port[q]]] +
                    (has_cables && fabric->port_link[q] != MAPCORE_NONE);

                if (d < row[b])
                    row[b] = (uint16_t)d;
            }
        }
    }
    row[a] = 0;
}

int fabric_block(uint16_t *out,
                 const struct fabric *fabric,
                 const struct topo_rows *rows,
                 bool has_cables,
                 struct mapcore_error *err)
{
    struct arena arena = {.err = err};
    struct places places = {.fabric = fabric};

    places_init(&places, &arena, rows);
    for (uint32_t begin = rows->begin; arena.error == 0 && begin < rows->end;) {
        uint32_t stop = begin;

        places.nsources = 0;
        while (stop < rows->end && add_sources(&places, rows->host[stop]))
            stop++;
        search(&places);
        for (; begin < stop; begin++, out += rows->n)
            fill_row(out, &places, rows, begin, has_cables);
        for (uint32_t i = 0; i < places.nsources; i++)
            places.source_of[places.source[i]] = MAPCORE_NONE;
    }
    arena_clear(&arena);
    return arena.error;
}
