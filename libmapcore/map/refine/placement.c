/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* placement.c - splitting the hosts of a mapping into regions */
#include "config.h"

#include "map/refine/placement.h"

#include "base/array.h"
#include "base/bucket.h"
#include "base/rng.h"
#include "map/rng_streams.h"

#include <stdlib.h>
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

int placement_create(struct placement **out,
                     const struct coarse_graph *graph,
                     const struct mapcore_alloc *alloc,
                     const uint32_t *host,
                     const uint32_t *size,
                     const bool *is_fixed,
                     struct mapcore_error *err)
{
    struct placement *placement = array_alloc(1, sizeof(*placement), err);
    uint32_t nhosts = mapcore_alloc_nhosts(alloc), n = graph->n;

    if (!placement)
        return MAPCORE_ENOMEM;
    placement->graph = graph;
    placement->alloc = alloc;
    placement->nhosts = nhosts;
    placement->size = size;
    placement->is_fixed = is_fixed;
    placement->nregions = count_regions(n, nhosts);
    placement->host = array_copy(host, n, sizeof(*host), err);
    placement->capacity =
        array_alloc(nhosts, sizeof(*placement->capacity), err);
    placement->begin = array_alloc((size_t)placement->nregions + 1,
                                   sizeof(*placement->begin), err);
    placement->order = array_alloc(nhosts, sizeof(*placement->order), err);
    placement->region = array_alloc(nhosts, sizeof(*placement->region), err);
    placement->first =
        array_alloc((size_t)nhosts + 1, sizeof(*placement->first), err);
    placement->member = array_alloc(n, sizeof(*placement->member), err);
    placement->local = array_alloc(n, sizeof(*placement->local), err);
    placement->spare = array_alloc(nhosts, sizeof(*placement->spare), err);
    if (!placement->host || !placement->capacity || !placement->begin ||
        !placement->order || !placement->region || !placement->first ||
        !placement->member || !placement->local || !placement->spare) {
        placement_destroy(placement);
        return MAPCORE_ENOMEM;
    }
    set_capacities(placement);
    *out = placement;
    return 0;
}

void placement_destroy(struct placement *placement)
{
    if (!placement)
        return;
    free(placement->host);
    free(placement->capacity);
    free(placement->begin);
    free(placement->order);
    free(placement->region);
    free(placement->first);
    free(placement->member);
    free(placement->local);
    free(placement->spare);
    free(placement);
}

/* A split under way. */
struct region_split {
    struct placement *placement;
    uint32_t *count; /* [diameter + 2] */
    struct rng rng;
};

/* A counting sort of order[lo .. hi-1] by distance from one of them; equals
 * stay in order, from a random one on. */
static void sort_by_distance(struct region_split *s, uint32_t lo, uint32_t hi)
{
    struct placement *placement = s->placement;
    uint32_t n = hi - lo, *order = placement->order + lo;
    uint32_t centre = order[rng_below(&s->rng, n)],
             turn = rng_below(&s->rng, n), *count = s->count;
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
static void split(struct region_split *s,
                  uint32_t lo,
                  uint32_t hi,
                  uint32_t r,
                  uint32_t parts)
{
    struct placement *placement = s->placement;
    uint32_t left = parts / 2, middle;

    if (parts == 1) {
        placement->begin[r] = lo;
        placement->begin[r + 1] = hi;
        for (uint32_t i = lo; i < hi; i++)
            placement->region[placement->order[i]] = r;
        return;
    }
    sort_by_distance(s, lo, hi);
    middle = lo + (uint32_t)((uint64_t)(hi - lo) * left / parts);
    split(s, lo, middle, r, left);
    split(s, middle, hi, r + left, parts - left);
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

int placement_split(struct placement *placement,
                    uint64_t seed,
                    uint64_t index,
                    struct mapcore_error *err)
{
    size_t diameter =
        mapcore_topo_diameter(mapcore_alloc_topo(placement->alloc));
    struct region_split s = {
        .placement = placement,
        .count = array_alloc(diameter + 2, sizeof(*s.count), err)};

    if (!s.count)
        return MAPCORE_ENOMEM;
    rng_init(&s.rng, seed, RNG_STREAM_REGIONS, index);
    for (uint32_t h = 0; h < placement->nhosts; h++)
        placement->order[h] = h;
    split(&s, 0, placement->nhosts, 0, placement->nregions);
    group(placement);
    free(s.count);
    return 0;
}
