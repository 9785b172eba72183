/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* placement.c - splitting the hosts of a mapping into regions */
#include "config.h"

#include "map/refine/anneal.h"

#include "base/array.h"
#include "base/bucket.h"
#include "base/rng.h"
#include "map/rng_streams.h"

#include <string.h>

/* A region fits the cache of a core with its vertices, their edges and the
 * distances of its hosts. From FEW vertices on there are regions for two
 * threads, from SOME on for four. */
#define REGION_VERTICES 4096
#define REGION_HOSTS    512
#define FEW             1024
#define SOME            4096

static uint32_t count_regions(uint32_t n, uint32_t nhosts)
{
    uint32_t regions = n >= SOME ? 4 : n >= FEW ? 2 : 1;
    uint32_t by_vertices = (n + REGION_VERTICES - 1) / REGION_VERTICES;
    uint32_t by_hosts = (nhosts + REGION_HOSTS - 1) / REGION_HOSTS;

    if (by_vertices > regions)
        regions = by_vertices;
    if (by_hosts > regions)
        regions = by_hosts;
    return regions < nhosts ? regions : nhosts;
}

static bool is_fixed(const struct placement *placement, uint32_t vertex)
{
    return placement->is_fixed && placement->is_fixed[vertex];
}

static void set_capacities(struct placement *placement)
{
    uint32_t n = placement->graph->n;
    uint64_t sum = 0, enough;

    for (uint32_t h = 0; h < placement->nhosts; h++) {
        uint32_t slots = mapcore_alloc_slots(placement->alloc, h);

        if (placement->size)
            slots = slots > 0;
        placement->capacity[h] = slots < n ? slots : n;
    }
    for (uint32_t i = 0; placement->is_fixed && i < n; i++)
        placement->capacity[placement->host[i]] -= placement->is_fixed[i];
    for (uint32_t h = 0; h < placement->nhosts; h++)
        sum += placement->capacity[h];
    enough = (uint64_t)n * 16 / placement->nhosts + 1024;
    if (sum <= (uint64_t)n * 16 + (uint64_t)placement->nhosts * 1024)
        return;
    memset(placement->spare, 0, placement->nhosts * sizeof(*placement->spare));
    for (uint32_t i = 0; i < n; i++)
        placement->spare[placement->host[i]] += !is_fixed(placement, i);
    for (uint32_t h = 0; h < placement->nhosts; h++) {
        uint64_t least =
            placement->spare[h] > enough ? placement->spare[h] : enough;

        if (placement->capacity[h] > least)
            placement->capacity[h] = (uint32_t)least;
    }
}

struct placement *placement_make(const struct coarse_graph *graph,
                                 const struct mapcore_alloc *alloc,
                                 const uint32_t *host,
                                 const uint32_t *size,
                                 const bool *is_fixed,
                                 struct arena *arena)
{
    struct placement *placement = arena_alloc(arena, 1, sizeof(*placement));
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), n = graph->n;
    uint32_t nregions = count_regions(n, nhosts);
    size_t diameter = mapcore_topo_diameter(mapcore_alloc_topo(alloc));

    if (!placement)
        return NULL;
    *placement = (struct placement){
        .graph = graph,
        .alloc = alloc,
        .nhosts = nhosts,
        .host = arena_copy(arena, host, n, sizeof(*host)),
        .capacity = arena_alloc(arena, nhosts, sizeof(uint32_t)),
        .size = size,
        .is_fixed = is_fixed,
        .nregions = nregions,
        .begin = arena_alloc(arena, (size_t)nregions + 1, sizeof(uint32_t)),
        .order = arena_alloc(arena, nhosts, sizeof(uint32_t)),
        .first = arena_alloc(arena, (size_t)nhosts + 1, sizeof(uint32_t)),
        .member = arena_alloc(arena, n, sizeof(uint32_t)),
        .local = arena_alloc(arena, n, sizeof(uint32_t)),
        .spare = arena_alloc(arena, nhosts, sizeof(uint32_t)),
        .count = arena_alloc(arena, diameter + 2, sizeof(uint32_t)),
    };
    if (arena->error)
        return NULL;
    set_capacities(placement);
    return placement;
}

/* A counting sort of order[lo .. hi-1] by distance from one of them; equals
 * stay in order, from a random one on. */
static void sort_by_distance(struct placement *placement,
                             uint32_t lo,
                             uint32_t hi,
                             struct rng *rng)
{
    uint32_t n = hi - lo, *order = placement->order + lo;
    uint32_t centre = order[rng_below(rng, n)], turn = rng_below(rng, n);
    uint32_t *count = placement->count;
    uint32_t diameter =
        mapcore_topo_diameter(mapcore_alloc_topo(placement->alloc));

    memset(count, 0, ((size_t)diameter + 2) * sizeof(*count));
    for (uint32_t i = 0; i < n; i++)
        count[mapcore_alloc_distance(placement->alloc, centre, order[i]) + 1]++;
    for (uint32_t d = 0; d < diameter; d++)
        count[d + 1] += count[d];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t h = order[(i + turn) % n];

        placement->spare[count[mapcore_alloc_distance(placement->alloc, centre,
                                                      h)]++] = h;
    }
    memcpy(order, placement->spare, n * sizeof(*order));
}

/* Makes regions r .. r+parts-1 of order[lo .. hi-1]; the depth is log2 of
 * parts. */
static void split(struct placement *placement,
                  uint32_t lo,
                  uint32_t hi,
                  uint32_t r,
                  uint32_t parts,
                  struct rng *rng)
{
    uint32_t left = parts / 2, middle;

    if (parts == 1) {
        placement->begin[r] = lo;
        placement->begin[r + 1] = hi;
        return;
    }
    sort_by_distance(placement, lo, hi, rng);
    middle = lo + (uint32_t)((uint64_t)(hi - lo) * left / parts);
    split(placement, lo, middle, r, left, rng);
    split(placement, middle, hi, r + left, parts - left, rng);
}

/* Vertices by host, and their numbers in their regions. */
static void group(struct placement *placement)
{
    const uint32_t *first = placement->first;

    bucket_items(placement->first, placement->member, placement->host,
                 placement->graph->n, placement->nhosts);
    for (uint32_t r = 0; r < placement->nregions; r++) {
        uint32_t next = 0;

        for (uint32_t i = placement->begin[r]; i < placement->begin[r + 1]; i++)
            for (uint32_t k = first[placement->order[i]];
                 k < first[placement->order[i] + 1]; k++)
                placement->local[placement->member[k]] =
                    is_fixed(placement, placement->member[k]) ? MAPCORE_NONE
                                                              : next++;
    }
}

void placement_split(struct placement *placement, uint64_t seed, uint64_t index)
{
    struct rng rng;

    rng_init(&rng, seed, RNG_STREAM_REGIONS, index);
    for (uint32_t h = 0; h < placement->nhosts; h++)
        placement->order[h] = h;
    split(placement, 0, placement->nhosts, 0, placement->nregions, &rng);
    group(placement);
}
